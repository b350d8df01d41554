"""WordPress, websites. API: WordPress REST, version 2, with an application password."""

from patchbay.integration import App, basic_auth

from .actions import create_post, create_user, delete_post, find_post, update_post
from .auth import auth
from .dynamic_data import list_categories, list_media, list_posts, list_statuses, list_tags, list_users
from .triggers import new_comment, new_page, new_post

app = App(
    name="WordPress",
    key="wordpress",
    supports_connections=True,
    base_url="https://wordpress.com",
    api_base_url="{auth.instanceUrl}",
    primary_color="#464342",
    description="Start a flow for comments, pages, and posts, and manage posts and users.",
    category="Websites",
    keywords=("blog", "cms"),
    auth=auth,
    before_request=[basic_auth(user="userLogin")],
    triggers=[new_comment, new_page, new_post],
    actions=[create_post, create_user, delete_post, find_post, update_post],
    dynamic_data=[list_categories, list_media, list_posts, list_statuses, list_tags, list_users],
)
