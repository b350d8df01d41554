<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<extra-po-header-plural_forms>nplurals=2; plural=(n != 1);</extra-po-header-plural_forms>
<context>
    <name>patchbay</name>
    <!-- desktop/kit/text.py -->
    <message>
        <source>{n} d</source>
        <comment>days</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} h</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{m} min {s} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{h} h {m} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{d} d {h} h</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/language_page.py -->
    <message>
        <source>Dates, numbers, and the first day of the week. Now: {date}, {time}; {number}; {day}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The language of this window. Names from apps and servers stay as they are.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Formats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Used from the next start of Patchbay.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the language</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
