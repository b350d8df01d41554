"""Actions."""

from typing import Any

from patchbay.integration import dropdown, request_action, rows, text

_OPEN_CLOSED = (("open", "Allowed"), ("closed", "Not allowed"))
_FORMATS = (
    ("standard", "Standard"),
    ("aside", "Aside"),
    ("chat", "Chat"),
    ("gallery", "Gallery"),
    ("link", "Link"),
    ("image", "Image"),
    ("quote", "Quote"),
    ("status", "Status"),
    ("video", "Video"),
    ("audio", "Audio"),
)
_ROLES = (
    ("administrator", "Administrator"),
    ("author", "Author"),
    ("contributor", "Contributor"),
    ("editor", "Editor"),
    ("subscriber", "Subscriber"),
)
_POST_ID = dropdown("postId", "Post", source="listPosts", required=True, variables=True)
_POST = (
    text("title", "Title", required=True),
    text("content", "Content", multiline=True, description="HTML."),
    text("excerpt", "Excerpt", multiline=True),
    text("password", "Password", description="Readers of the post have to enter it."),
    dropdown("author", "Author", source="listUsers", variables=True),
    dropdown("featuredMedia", "Featured image", source="listMedia", variables=True),
    dropdown("commentStatus", "Comments", _OPEN_CLOSED, variables=True),
    dropdown("pingStatus", "Pingbacks", _OPEN_CLOSED, variables=True),
    dropdown("format", "Format", _FORMATS, variables=True),
    dropdown("sticky", "Sticky", (("false", "No"), ("true", "Yes")), variables=True),
    rows(
        "categoryIds",
        "Categories",
        [dropdown("categoryId", "Category", source="listCategories", variables=True)],
        add="Add category",
    ),
    rows("tagIds", "Tags", [dropdown("tagId", "Tag", source="listTags", variables=True)], add="Add tag"),
    dropdown("status", "Status", source="listStatuses", variables=True),
    text("date", "Date", placeholder="2026-12-31T09:00:00", description="In the site's time zone."),
)
_POST_BODY = {
    "title": "{title}",
    "content": "{content}",
    "excerpt": "{excerpt}",
    "password": "{password}",
    "author": "{author}",
    "featured_media": "{featuredMedia}",
    "comment_status": "{commentStatus}",
    "ping_status": "{pingStatus}",
    "format": "{format}",
    "sticky": "{sticky:bool}",
    "categories": "{categoryIds[].categoryId}",
    "tags": "{tagIds[].tagId}",
    "status": "{status}",
    "date": "{date}",
}


def _first(found: Any) -> Any:
    """The first post of a list, an empty object if there is none."""
    return found[0] if isinstance(found, list) and found else {}


create_post = request_action(
    key="createPost",
    name="Create post",
    description="Creates a post, as a draft if you choose no status.",
    arguments=_POST,
    request="POST /?rest_route=/wp/v2/posts",
    body=_POST_BODY,
)

create_user = request_action(
    key="createUser",
    name="Create user",
    description="Creates a user of the site.",
    arguments=(
        text("email", "Email", required=True),
        text("username", "User name", required=True),
        text("password", "Password", required=True),
        text("firstName", "First name"),
        text("lastName", "Last name"),
        text("displayName", "Display name"),
        text("nickname", "Nickname"),
        text("description", "Biography", multiline=True),
        text("website", "Website"),
        dropdown("role", "Role", _ROLES, variables=True, description="If empty, the site's default role."),
    ),
    request="POST /?rest_route=/wp/v2/users",
    body={
        "email": "{email}",
        "username": "{username}",
        "password": "{password}",
        "first_name": "{firstName}",
        "last_name": "{lastName}",
        "name": "{displayName}",
        "nickname": "{nickname}",
        "description": "{description}",
        "url": "{website}",
        "roles": ["{role}"],
    },
)

delete_post = request_action(
    key="deletePost",
    name="Delete post",
    description="Moves a post to the trash.",
    arguments=(_POST_ID,),
    request="DELETE /?rest_route=/wp/v2/posts/{postId}",
)

find_post = request_action(
    key="findPost",
    name="Find post",
    description="Finds the published post that best matches these words. Without one, the output is empty.",
    arguments=(text("title", "Title", required=True),),
    request="GET /?rest_route=/wp/v2/posts",
    query={"search": "{title}", "orderby": "relevance", "order": "desc", "per_page": 1},
    output=_first,
)

update_post = request_action(
    key="updatePost",
    name="Update post",
    description="Changes a post. Fields that you leave empty stay as they are.",
    arguments=(_POST_ID, *_POST),
    request="POST /?rest_route=/wp/v2/posts/{postId}",
    body=_POST_BODY,
)
