"""Actions."""

from patchbay.integration import request_action, text

create_tweet = request_action(
    key="createTweet",
    name="Create post",
    description="Posts a text.",
    arguments=(text("tweet", "Text", required=True, multiline=True, description="Up to 280 characters."),),
    request="POST /2/tweets",
    body={"text": "{tweet:text}"},
)

search_user = request_action(
    key="searchUser",
    name="Find user",
    description="Finds the account with a user name.",
    arguments=(text("username", "User name", required=True, description="Without @."),),
    request="/2/users/by/username/{username}",
    query={
        "expansions": "pinned_tweet_id",
        "tweet.fields": "created_at,public_metrics",
        "user.fields": "created_at,description,location,profile_image_url,public_metrics,url,verified",
    },
    output="data",
)
