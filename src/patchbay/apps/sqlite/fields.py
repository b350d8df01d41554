"""The path of the file, and arguments whose options are those of the file."""

from patchbay.integration import Argument, text


def path(*, variables: bool = True) -> Argument:
    """The argument for the database file."""
    return text(
        "path",
        "Database file",
        required=True,
        variables=variables,
        placeholder="/srv/files/shop.db",
        description="Its full path, in a folder that an admin allows in Settings → Engine.",
    )


def of_file(argument: Argument) -> Argument:
    """The argument, whose options are those of the chosen file."""
    fields = tuple(map(of_file, argument.fields))
    if argument.source is None:
        return argument.model_copy(update={"fields": fields})
    parameters = {**argument.source.parameters, "path": "{parameters.path}"}
    source = argument.source.model_copy(update={"parameters": parameters})
    return argument.model_copy(
        update={"source": source, "fields": fields, "depends_on": ("path", *argument.depends_on)}
    )
