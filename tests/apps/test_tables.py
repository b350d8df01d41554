"""Tables: rows of CSV and Excel files. Everything that parses runs in worker processes, as in the engine."""

import io
import zipfile

import pytest
from tests.support.shared_folder import InlineWorkers, SharedFolder
from tests.support.shared_workers import SharedWorkers

from patchbay.apps.tables import excel_files, worker
from patchbay.apps.tables.columns import MAX_VALUES
from patchbay.apps.tables.csv_files import append_to_csv, read_csv, update_csv
from patchbay.domain.base import JsonObject
from patchbay.domain.errors import Conflict, Forbidden, NotFound, ValidationFailed
from patchbay.integration.context import StopTrigger

ROWS = [{"Name": "Ada", "Age": "36"}, {"Name": "Bob", "Age": "4"}]
KINDS = pytest.mark.parametrize("name", ["people.csv", "people.xlsx"])


@pytest.fixture
def shared(tmp_path) -> SharedFolder:
    folder = tmp_path / "shared"
    folder.mkdir()
    return SharedFolder("tables", folder, workers=InlineWorkers)


def cells(row: dict) -> list[dict]:
    return [{"columnName": name, "value": value} for name, value in row.items()]


async def filled(shared: SharedFolder, name: str, rows=ROWS) -> str:
    path = shared.file(name)
    for row in rows:
        await shared.run("appendRow", path=path, values=cells(row))
    return path


async def texts(shared: SharedFolder, path: str, **parameters) -> list[dict]:
    found = await shared.run("readRows", path=path, **parameters)
    return [{name: str(value) for name, value in row.items()} for row in found["rows"]]


@KINDS
async def test_rows_are_added_read_found_and_changed(shared, name):
    path = await filled(shared, name)

    assert await texts(shared, path) == ROWS
    assert await texts(shared, path, column="Name", value="Bob") == ROWS[1:]
    assert await texts(shared, path, limit="1") == ROWS[:1]
    changed = await shared.run(
        "updateRow", path=path, column="Age", value="4", values=cells({"Name": "Bert"})
    )
    unchanged = await shared.run("updateRow", path=path, column="Age", value="5", values=cells({"Name": "x"}))

    assert (changed["isUpdated"], changed["rowNumber"], unchanged["isUpdated"]) == (True, 2, False)
    assert await texts(shared, path) == [ROWS[0], {"Name": "Bert", "Age": "4"}]


@KINDS
async def test_new_rows_start_the_flow_once_wherever_they_are(shared, name):
    path = await filled(shared, name)
    await shared.publish("newRow", path=path, idColumn="Name")
    await filled(shared, name, [{"Name": "Cy", "Age": "1"}])
    await shared.run("updateRow", path=path, column="Name", value="Ada", values=cells({"Age": "37"}))

    found = await shared.poll("newRow", path=path, idColumn="Name")

    assert [(item["row"]["Name"], item["rowNumber"]) for item in found] == [("Cy", 3)]
    assert await shared.poll("newRow", path=path, idColumn="Name") == []


async def test_without_an_id_column_equal_rows_are_counted_and_changed_ones_are_new(shared):
    path = await filled(shared, "a.csv")
    await shared.publish("newRow", path=path)
    (shared.path / "a.csv").write_text("Name,Age\nZoe,1\nAda,36\nBob,5\nAda,36\n")

    found = await shared.poll("newRow", path=path)

    assert [item["row"]["Name"] for item in found] == ["Zoe", "Bob", "Ada"]


async def test_a_test_shows_the_last_row_and_an_empty_table_shows_none(shared):
    path = await filled(shared, "a.csv")
    ctx = shared.context({"path": path}, test=True, workers=shared.workers())
    from patchbay.apps.tables.triggers import run

    with pytest.raises(StopTrigger):
        await run(ctx)
    (shared.path / "a.csv").write_text("")

    assert [item.raw["row"] for item in ctx.trigger_items] == ROWS[1:]
    assert await shared.poll("newRow", path=path) == []


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "=HYPERLINK(1)"])
async def test_values_of_others_never_become_formulas_unless_that_is_chosen(shared, text):
    csv, xlsx = shared.file("a.csv"), shared.file("a.xlsx")
    for path in (csv, xlsx):
        await shared.run("appendRow", path=path, values=cells({text: text}))
    await shared.run("appendRow", path=shared.file("b.xlsx"), values=cells({"A": "=1+1"}), formulas=True)
    from openpyxl import load_workbook

    assert all(line.lstrip('"').startswith("'") for line in (shared.path / "a.csv").read_text().splitlines())
    sheet = load_workbook(xlsx).active
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} == {"s"}
    assert load_workbook(shared.file("b.xlsx")).active["A2"].data_type == "f"


async def test_a_csv_file_keeps_its_format(shared):
    (shared.path / "a.csv").write_bytes('\ufeffName;Note\r\nAda;"a ""b"";\r\nc"\r\n'.encode())

    await shared.run("appendRow", path=shared.file("a.csv"), values=cells({"Note": "x;y", "Name": "Ü"}))

    assert (shared.path / "a.csv").read_bytes() == (
        '\ufeffName;Note\r\nAda;"a ""b"";\r\nc"\r\nÜ;"x;y"\r\n'.encode()
    )


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("text", ["Eve\rMallory", "Eve\nMallory", "Eve\r\nMallory"])
def test_a_line_break_or_delimiter_in_a_value_makes_no_other_row_or_cell(line_end, delimiter, text):
    before = delimiter.join(("Name", "Role")) + line_end + delimiter.join(("Ada", "admin")) + line_end
    values: JsonObject = {"Name": text, "Role": 'a,b;c\td|e"f'}

    added, row = append_to_csv(before.encode(), {}, values)
    changed, _ = update_csv(added, {}, "Name", "Ada", values)

    assert (row, read_csv(added, {}).rows) == (2, [["Ada", "admin"], [*values.values()]])
    assert read_csv(changed, {}).rows == [[*values.values()]] * 2


def test_a_row_is_not_added_inside_a_cell_whose_quotation_mark_is_missing():
    with pytest.raises(ValidationFailed, match="wouldn't be read back"):
        append_to_csv(b'Name,Role\nAda,"admin\n', {}, {"Name": "Eve"})


@pytest.mark.parametrize("name", ["a;b", "a;;b|c", "=1|2;3", 'a"b\tc'])
def test_names_of_columns_with_other_delimiters_stay_one_name(name):
    content, _ = append_to_csv(b"", {}, {name: "1", "Note": "2"})

    assert len(read_csv(content, {}).names) == 2
    assert append_to_csv(content, {}, {"Note": "3"})[1] == 2


def test_only_the_changed_row_of_a_csv_file_is_written_again():
    before = b'\n"Name",Role\r\n\r\n,,\r\n"Ada",admin\n\n "x" , y\r\n\r\n'

    changed, _ = update_csv(before, {}, "Name", "Ada", {"Role": "owner"})
    last, _ = update_csv(b"Name\nAda", {}, "Name", "Ada", {"Name": "Bob"})

    assert changed == before.replace(b'"Ada",admin', b"Ada,owner")
    assert last == b"Name\nBob"
    assert append_to_csv(b"\n\n", {}, {"Name": "Ada"}) == (b"\n\nName\nAda\n", 1)


@pytest.mark.parametrize(
    ("mark", "codec"),
    [(b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"), (b"", "utf-16-le")],
)
def test_a_file_in_utf_16_keeps_its_byte_order(mark, codec):
    before = mark + "Name\nÄ\n".encode(codec)

    added = append_to_csv(before, {"encoding": "utf-16"}, {"Name": "Ü"})[0]

    assert added == before + "Ü\n".encode(codec)


def test_a_new_file_in_utf_16_has_a_byte_order_mark():
    content, _ = append_to_csv(b"", {"encoding": "utf-16"}, {"Name": "Ü"})

    assert content.decode("utf-16") == "Name\nÜ\n"
    assert content.startswith(b"\xff\xfe")


def test_a_formula_behind_the_delimiter_of_another_country_is_text():
    written = [append_to_csv(f"A{one}B\n".encode(), {}, {"A": "x,=1|=2"})[0].decode() for one in ",;|"]

    assert [text.splitlines()[1] for text in written] == ['"x,=1|\'=2",', "x,'=1|'=2;", '"x,\'=1|=2"|']


def test_what_could_not_be_read_again_is_not_written_to_a_csv_file():
    full = b"A\n" + b"1\n" * (MAX_VALUES // 2 - 1)
    with pytest.raises(ValidationFailed, match="250,000 cells"):
        append_to_csv(full, {}, {"A": "1"})
    with pytest.raises(ValidationFailed, match="more than 1,000,000 characters") as caught:
        append_to_csv(b"A\n", {}, {"A": "x" * 1_000_001})
    with pytest.raises(ValidationFailed, match="more than 1,000,000 characters"):
        append_to_csv(b"", {}, {"x" * 1_000_001: "1"})

    assert list(caught.value.by_field) == ["values"]


NOT_IN_XML = "\x00\x0b\x1f\ud800\udfff\ufffe\uffff"


async def test_characters_that_xml_cannot_have_leave_an_excel_file_readable(shared):
    path = shared.file("a.xlsx")
    name, value = f"Na{NOT_IN_XML}me", f"A{NOT_IN_XML}d\r\na"
    for _ in range(2):
        await shared.run("appendRow", path=path, values=cells({name: value, "Age": "1"}))
    await shared.run("updateRow", path=path, column=name, value="A", values=cells({"Age": "2"}))
    await shared.run("updateRow", path=path, column="Age", value="1", values=cells({name: f"B{NOT_IN_XML}"}))

    assert await texts(shared, path) == [{"Name": "B", "Age": "1"}, {"Name": "Ad\na", "Age": "1"}]


@pytest.mark.parametrize("name", ["a.xlsx", "new.xlsx"])
async def test_an_excel_file_that_could_not_be_opened_again_is_not_written(shared, monkeypatch, name):
    await filled(shared, "a.xlsx")
    before = {file.name: file.read_bytes() for file in shared.path.iterdir()}
    monkeypatch.setattr(excel_files, "_clean", str)

    with pytest.raises(ValidationFailed, match="can't be written"):
        await shared.run("appendRow", path=shared.file(name), values=cells({"Name": "\uffff"}))

    assert {file.name: file.read_bytes() for file in shared.path.iterdir()} == before


def test_what_could_not_be_read_again_is_not_written_to_an_excel_file(monkeypatch):
    content = excel_files.new_excel({}, {"A": 1, "B": 2})
    far = sheet('<row r="1"><c r="A1"><v>1</v></c></row><row r="9" ht="5"/>')
    cases: list[tuple[int, bytes, JsonObject]] = [(8, content, {"A": 1}), (11, far, {"1": 1})]
    for most, found, more in cases:
        monkeypatch.setattr(excel_files, "MAX_VALUES", most - 1)
        with pytest.raises(ValidationFailed, match="cells"):
            worker.append_row(found, worker.EXCEL, {}, more)
        monkeypatch.setattr(excel_files, "MAX_VALUES", most)
        assert worker.read_rows(worker.append_row(found, worker.EXCEL, {}, more)[0], worker.EXCEL, {})[1]
    monkeypatch.setattr(excel_files, "MAX_UNPACKED_TO_CHANGE", 1_000)
    with pytest.raises(ValidationFailed, match="unpacks to more than"):
        excel_files.new_excel({}, {"A": 1})


def test_the_theme_of_an_excel_file_is_not_read():
    before = zipfile.ZipFile(io.BytesIO(excel_files.new_excel({}, {"A": 1})))
    parts = {name: before.read(name) for name in before.namelist()}
    content = archive(**{**parts, "xl/theme/theme1.xml": b"<"})

    assert worker.append_row(content, worker.EXCEL, {}, {"A": 2})[1] == 2


@pytest.mark.parametrize("name", ["a/b", "a[1]", "'a", "a'", "x" * 32, "a\uffff"])
def test_a_name_that_a_sheet_cannot_have_is_named(name):
    with pytest.raises(ValidationFailed, match="A sheet can't have the name") as caught:
        excel_files.new_excel({"sheet": name}, {"A": 1})

    assert list(caught.value.by_field) == ["sheet"]


def test_excel_stores_long_numbers_as_text_and_has_no_more_than_16384_columns():
    numbers: JsonObject = {"A": 10**15 - 1, "B": 10**15, "C": -(10**400), "D": 1.5, "E": True}

    assert worker.read_rows(excel_files.new_excel({}, numbers), worker.EXCEL, {})[0] == [
        {"A": 10**15 - 1, "B": str(10**15), "C": str(-(10**400)), "D": 1.5, "E": True}
    ]
    with pytest.raises(ValidationFailed, match="16,384 columns"):
        excel_files.new_excel({}, {str(number): 1 for number in range(16_385)})


async def test_columns_without_or_with_equal_names_get_one(shared):
    (shared.path / "a.csv").write_text("A,,A\n1,2,3,4\n5\n")

    assert await texts(shared, shared.file("a.csv")) == [
        {"A": "1", "column 2": "2", "A 2": "3", "column 4": "4"},
        {"A": "5", "column 2": "", "A 2": ""},
    ]


@pytest.mark.parametrize(
    ("action", "parameters", "field"),
    [
        ("appendRow", {"values": cells({"None": "1"})}, "values"),
        ("appendRow", {"values": []}, "values"),
        ("appendRow", {"values": [*cells({"Name": 1}), *cells({"Name": 2})]}, "values"),
        ("readRows", {"column": "None"}, "column"),
        ("readRows", {"limit": "0"}, "limit"),
        ("readRows", {"encoding": "zip"}, "encoding"),
        ("updateRow", {"column": "None", "value": "1", "values": cells({"Name": 1})}, "column"),
    ],
)
async def test_what_makes_no_sense_is_named_and_nothing_is_written(shared, action, parameters, field):
    path = await filled(shared, "a.csv")
    before = (shared.path / "a.csv").read_bytes()

    with pytest.raises(ValidationFailed) as caught:
        await shared.run(action, path=path, **parameters)

    assert list(caught.value.by_field) == [field]
    assert (shared.path / "a.csv").read_bytes() == before


async def test_a_file_that_is_changed_meanwhile_is_not_replaced(shared, monkeypatch):
    path = await filled(shared, "a.csv")
    read = shared.access.read

    async def read_and_change(*args):
        found = await read(*args)
        (shared.path / "a.csv").write_text("Name,Age\nsomething else,0\n")
        return found

    monkeypatch.setattr(shared.access, "read", read_and_change)
    with pytest.raises(Conflict, match="changed by another program"):
        await shared.run("appendRow", path=path, values=cells(ROWS[0]))

    assert "something else" in (shared.path / "a.csv").read_text()


@pytest.mark.parametrize("action", ["readRows", "appendRow", "updateRow"])
async def test_only_tables_in_allowed_folders_are_used(shared, action):
    outside = shared.path.parent / "outside.csv"
    outside.write_text("Name\n1\n")
    more = {"values": cells({"Name": "2"}), "column": "Name", "value": "1"}

    with pytest.raises(Forbidden):
        await shared.run(action, path=str(outside), **more)
    with pytest.raises(Forbidden):
        await shared.poll("newRow", path=str(outside))
    with pytest.raises(ValidationFailed, match=r"\.xlsm"):
        await shared.run(action, path=shared.file("a.xlsm"), **more)
    with pytest.raises(NotFound):
        await shared.poll("newRow", path=shared.file("none.csv"))

    assert outside.read_text() == "Name\n1\n"


async def test_files_are_parsed_in_worker_processes(shared):
    shared.workers = SharedWorkers
    path = await filled(shared, "a.xlsx", ROWS[:1])

    assert await texts(shared, path) == ROWS[:1]


# Hostile files


def archive(**parts: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as made:
        for name, part in parts.items():
            made.writestr(name, part)
    return content.getvalue()


def with_sheet(xml: str) -> bytes:
    """An Excel file whose sheet is this."""
    before = zipfile.ZipFile(io.BytesIO(excel_files.new_excel({}, {"A": 1})))
    parts = {name: before.read(name) for name in before.namelist()}
    return archive(**{**parts, "xl/worksheets/sheet1.xml": xml.encode()})


NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04",
        b"Name,Age\n",
        archive(a=b"x"),
        archive(**{"[Content_Types].xml": b"<"}),
        with_sheet("<"),
        with_sheet(f'<!DOCTYPE x [<!ENTITY a "b">]><worksheet xmlns="{NAMESPACE}">&a;</worksheet>'),
    ],
)
async def test_what_is_no_excel_file_is_rejected(shared, content):
    (shared.path / "a.xlsx").write_bytes(content)

    with pytest.raises(ValidationFailed, match="isn't a valid Excel file"):
        await shared.run("readRows", path=shared.file("a.xlsx"))


def test_a_file_that_unpacks_to_too_much_is_rejected_before_it_is_unpacked(monkeypatch):
    monkeypatch.setattr(excel_files, "MAX_UNPACKED", 1_000)

    with pytest.raises(ValidationFailed, match="unpacks to more than"):
        worker.read_rows(archive(**{"[Content_Types].xml": b" " * 10_000}), worker.EXCEL, {})


def sheet(rows: str, before: str = "") -> bytes:
    """An Excel file with these rows."""
    return with_sheet(f'<worksheet xmlns="{NAMESPACE}">{before}<sheetData>{rows}</sheetData></worksheet>')


@pytest.mark.parametrize("dimension", ["A1:XFD1048576", "B9"])
def test_the_size_that_a_sheet_claims_is_not_trusted(dimension):
    rows = '<row r="1"><c r="A1"><v>7</v></c></row><row r="2"><c r="A2"><v>5</v></c></row>'

    content = sheet(rows, f'<dimension ref="{dimension}"/>')

    assert worker.read_rows(content, worker.EXCEL, {}) == ([{"7": 5}], 1, ["7"])


@pytest.mark.parametrize(("change", "more"), [(worker.append_row, [{"1": "x"}]), (worker.read_rows, [])])
def test_a_cell_far_away_takes_no_memory(change, more):
    first = '<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>1</v></c></row>'
    last = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'

    with pytest.raises(ValidationFailed, match="more than 250,000 cells"):
        change(sheet(first + last), worker.EXCEL, {}, *more)


def test_a_file_with_parts_that_would_be_lost_is_read_but_not_changed():
    before = zipfile.ZipFile(io.BytesIO(excel_files.new_excel({}, {"A": 1})))
    parts = {name: before.read(name) for name in before.namelist()}
    content = archive(**{**parts, "xl/vbaProject.bin": b"macro"})

    assert worker.read_rows(content, worker.EXCEL, {})[0] == [{"A": 1}]
    with pytest.raises(ValidationFailed, match=r"would be lost.*vbaProject"):
        worker.append_row(content, worker.EXCEL, {}, {"A": 2})


@pytest.mark.parametrize("text", ["a\n" * 250_001, '"' + "a" * 1_100_000 + '"', "," * 250_001])
def test_a_csv_file_with_too_many_cells_or_too_long_ones_is_rejected(text):
    with pytest.raises(ValidationFailed):
        read_csv(text.encode(), {})


def test_a_row_is_added_after_the_last_one_with_values_and_to_a_file_without_a_line_end():
    content = sheet('<row r="1"><c r="A1"><v>1</v></c></row><row r="90"><c r="A90" s="0"/></row>')

    assert worker.append_row(content, worker.EXCEL, {}, {"1": 2})[1] == 1
    assert append_to_csv(b"A\n1", {}, {"A": "2"}) == (b"A\n1\n2\n", 2)
