<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<extra-po-header-plural_forms>nplurals=2; plural=(n != 1);</extra-po-header-plural_forms>
<context>
    <name>patchbay</name>
    <!-- bootstrap/window_controller.py -->
    <message>
        <source>The new window couldn't be opened.</source>
        <translation>Das neue Fenster konnte nicht geöffnet werden.</translation>
    </message>
    <message>
        <source>Runs published flows in the background</source>
        <translation>Führt veröffentlichte Abläufe im Hintergrund aus</translation>
    </message>
    <!-- bootstrap/window_texts.py -->
    <message>
        <source>The settings file couldn't be read, so the defaults are used. The old file was renamed to {file}.</source>
        <translation>Die Einstellungsdatei konnte nicht gelesen werden, deshalb gelten die Standardwerte. Die alte Datei heißt jetzt {file}.</translation>
    </message>
    <message>
        <source>The API key works until Patchbay closes, but it couldn't be saved. {problem} Once the keyring works, enter the key again under Server settings.</source>
        <translation>Der API-Schlüssel gilt, bis Patchbay geschlossen wird, konnte aber nicht gespeichert werden. {problem} Sobald der Schlüsselbund funktioniert, den Schlüssel unter „Servereinstellungen“ erneut eingeben.</translation>
    </message>
    <message>
        <source>The backup was restored: {contents}.</source>
        <translation>Die Sicherung wurde wiederhergestellt: {contents}.</translation>
    </message>
    <message>
        <source>An internal error occurred. Patchbay keeps running. A crash report is in {file}.</source>
        <translation>Ein interner Fehler ist aufgetreten. Patchbay läuft weiter. Ein Absturzbericht liegt in {file}.</translation>
    </message>
    <message>
        <source>The API key for {address} couldn't be deleted from the keyring.</source>
        <translation>Der API-Schlüssel für {address} konnte nicht aus dem Schlüsselbund gelöscht werden.</translation>
    </message>
    <message>
        <source>The cached data of {address} couldn't be deleted from {folder}.</source>
        <translation>Die zwischengespeicherten Daten von {address} konnten nicht aus {folder} gelöscht werden.</translation>
    </message>
    <!-- bootstrap/window_vault.py -->
    <message>
        <source>The vault can't be unlocked in this window, because another program runs the flows.</source>
        <translation>Der Tresor kann in diesem Fenster nicht entsperrt werden, weil ein anderes Programm die Abläufe ausführt.</translation>
    </message>
    <message>
        <source>Restart that program with --passphrase-file.</source>
        <translation>Das andere Programm mit --passphrase-file neu starten.</translation>
    </message>
    <!-- desktop/core/backups.py -->
    <message numerus="yes">
        <source>{n} flow</source>
        <extracomment>{n} flows</extracomment>
        <translation><numerusform>{n} Ablauf</numerusform><numerusform>{n} Abläufe</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} connection</source>
        <extracomment>{n} connections</extracomment>
        <translation><numerusform>{n} Verbindung</numerusform><numerusform>{n} Verbindungen</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} execution</source>
        <extracomment>{n} executions</extracomment>
        <translation><numerusform>{n} Ausführung</numerusform><numerusform>{n} Ausführungen</numerusform></translation>
    </message>
    <!-- desktop/core/condition_labels.py -->
    <message>
        <source>equals</source>
        <comment>comparison</comment>
        <translation>ist gleich</translation>
    </message>
    <message>
        <source>doesn't equal</source>
        <comment>comparison</comment>
        <translation>ist ungleich</translation>
    </message>
    <message>
        <source>is greater than</source>
        <comment>comparison</comment>
        <translation>ist größer als</translation>
    </message>
    <message>
        <source>is less than</source>
        <comment>comparison</comment>
        <translation>ist kleiner als</translation>
    </message>
    <message>
        <source>is at least</source>
        <comment>comparison</comment>
        <translation>ist mindestens</translation>
    </message>
    <message>
        <source>is at most</source>
        <comment>comparison</comment>
        <translation>ist höchstens</translation>
    </message>
    <message>
        <source>contains</source>
        <comment>comparison</comment>
        <translation>enthält</translation>
    </message>
    <message>
        <source>doesn't contain</source>
        <comment>comparison</comment>
        <translation>enthält nicht</translation>
    </message>
    <message>
        <source>starts with</source>
        <comment>comparison</comment>
        <translation>beginnt mit</translation>
    </message>
    <message>
        <source>doesn't start with</source>
        <comment>comparison</comment>
        <translation>beginnt nicht mit</translation>
    </message>
    <message>
        <source>ends with</source>
        <comment>comparison</comment>
        <translation>endet mit</translation>
    </message>
    <message>
        <source>doesn't end with</source>
        <comment>comparison</comment>
        <translation>endet nicht mit</translation>
    </message>
    <message>
        <source>is one of</source>
        <comment>comparison</comment>
        <translation>ist eines von</translation>
    </message>
    <message>
        <source>isn't one of</source>
        <comment>comparison</comment>
        <translation>ist keines von</translation>
    </message>
    <message>
        <source>matches the pattern</source>
        <comment>comparison</comment>
        <translation>passt zum Muster</translation>
    </message>
    <message>
        <source>doesn't match the pattern</source>
        <comment>comparison</comment>
        <translation>passt nicht zum Muster</translation>
    </message>
    <message>
        <source>includes the item</source>
        <comment>comparison with an item of a list</comment>
        <translation>enthält das Element</translation>
    </message>
    <message>
        <source>doesn't include the item</source>
        <comment>comparison with an item of a list</comment>
        <translation>enthält das Element nicht</translation>
    </message>
    <message>
        <source>is before</source>
        <comment>comparison with a date</comment>
        <translation>liegt vor</translation>
    </message>
    <message>
        <source>is after</source>
        <comment>comparison with a date</comment>
        <translation>liegt nach</translation>
    </message>
    <message>
        <source>is on the day</source>
        <comment>comparison with a date</comment>
        <translation>liegt am Tag</translation>
    </message>
    <message>
        <source>is in the last</source>
        <comment>comparison with a time span: 7 days</comment>
        <translation>liegt in den letzten</translation>
    </message>
    <message>
        <source>is in the next</source>
        <comment>comparison with a time span: 7 days</comment>
        <translation>liegt in den nächsten</translation>
    </message>
    <message>
        <source>is older than</source>
        <comment>comparison with a time span: 7 days</comment>
        <translation>liegt vor mehr als</translation>
    </message>
    <message>
        <source>is true</source>
        <comment>comparison</comment>
        <translation>ist wahr</translation>
    </message>
    <message>
        <source>is false</source>
        <comment>comparison</comment>
        <translation>ist falsch</translation>
    </message>
    <message>
        <source>is empty</source>
        <comment>comparison</comment>
        <translation>ist leer</translation>
    </message>
    <message>
        <source>isn't empty</source>
        <comment>comparison</comment>
        <translation>ist nicht leer</translation>
    </message>
    <message>
        <source>minutes</source>
        <comment>after: is in the last 7</comment>
        <translation>Minuten</translation>
    </message>
    <message>
        <source>hours</source>
        <comment>after: is in the last 7</comment>
        <translation>Stunden</translation>
    </message>
    <message>
        <source>days</source>
        <comment>after: is in the last 7</comment>
        <translation>Tagen</translation>
    </message>
    <message>
        <source>weeks</source>
        <comment>after: is in the last 7</comment>
        <translation>Wochen</translation>
    </message>
    <message>
        <source>months</source>
        <comment>after: is in the last 7</comment>
        <translation>Monaten</translation>
    </message>
    <message>
        <source>years</source>
        <comment>after: is in the last 7</comment>
        <translation>Jahren</translation>
    </message>
    <message>
        <source>{condition}: no</source>
        <translation>{condition}: nein</translation>
    </message>
    <message>
        <source>{comparison} (ignoring case)</source>
        <translation>{comparison} (ohne Groß-/Kleinschreibung)</translation>
    </message>
    <message>
        <source>{condition}: yes</source>
        <translation>{condition}: ja</translation>
    </message>
    <message>
        <source>{condition}: checked when the step runs</source>
        <translation>{condition}: wird beim Ausführen des Schritts geprüft</translation>
    </message>
    <message>
        <source>“{value}”</source>
        <translation>„{value}“</translation>
    </message>
    <!-- desktop/core/execution_labels.py -->
    <message>
        <source>Waiting for input</source>
        <comment>state of an execution: a form or notification is open</comment>
        <translation>Wartet auf Eingabe</translation>
    </message>
    <message>
        <source>Queued</source>
        <comment>state of an execution</comment>
        <translation>Eingereiht</translation>
    </message>
    <message>
        <source>Running</source>
        <comment>state of an execution</comment>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Waiting</source>
        <comment>state of an execution</comment>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>Success</source>
        <comment>state of an execution</comment>
        <translation>Erfolg</translation>
    </message>
    <message>
        <source>Failure</source>
        <comment>state of an execution</comment>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Filtered</source>
        <comment>state of an execution</comment>
        <translation>Gefiltert</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <comment>state of an execution</comment>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>Branches</source>
        <comment>kind of step</comment>
        <translation>Zweige</translation>
    </message>
    <message>
        <source>Branch</source>
        <comment>kind of step</comment>
        <translation>Zweig</translation>
    </message>
    <message>
        <source>For each</source>
        <comment>kind of step</comment>
        <translation>Für jedes Element</translation>
    </message>
    <message>
        <source>Conditions match. The run continues.</source>
        <translation>Die Bedingungen treffen zu. Der Lauf geht weiter.</translation>
    </message>
    <message>
        <source>Conditions don't match. The run ends here.</source>
        <translation>Die Bedingungen treffen nicht zu. Der Lauf endet hier.</translation>
    </message>
    <message>
        <source>Whether the conditions match depends on a pattern. Test the step to check it.</source>
        <translation>Ob die Bedingungen zutreffen, hängt von einem Muster ab. Den Schritt testen, um es zu prüfen.</translation>
    </message>
    <message>
        <source>{state} at step {at} of {total}</source>
        <translation>{state} bei Schritt {at} von {total}</translation>
    </message>
    <message numerus="yes">
        <source>Details, after {n} attempt</source>
        <extracomment>Details, after {n} attempts</extracomment>
        <translation><numerusform>Details, nach {n} Versuch</numerusform><numerusform>Details, nach {n} Versuchen</numerusform></translation>
    </message>
    <message>
        <source>Execution ID</source>
        <translation>Ausführungs-ID</translation>
    </message>
    <message>
        <source>Flow ID</source>
        <translation>Ablauf-ID</translation>
    </message>
    <message>
        <source>Current time</source>
        <translation>Aktuelle Zeit</translation>
    </message>
    <message>
        <source>“{path}” of step {n}</source>
        <translation>„{path}“ aus Schritt {n}</translation>
    </message>
    <message>
        <source>{state}, steps not reported</source>
        <translation>{state}, Schritte nicht gemeldet</translation>
    </message>
    <message>
        <source>{state} at step {at}, item {item}</source>
        <translation>{state} bei Schritt {at}, Element {item}</translation>
    </message>
    <message>
        <source>Item {n}</source>
        <comment>of a loop</comment>
        <translation>Element {n}</translation>
    </message>
    <message numerus="yes">
        <source>Response from {app}, after {n} attempt</source>
        <extracomment>Response from {app}, after {n} attempts</extracomment>
        <translation><numerusform>Antwort von {app}, nach {n} Versuch</numerusform><numerusform>Antwort von {app}, nach {n} Versuchen</numerusform></translation>
    </message>
    <message>
        <source>“{path}” of a removed step</source>
        <translation>„{path}“ aus einem entfernten Schritt</translation>
    </message>
    <message>
        <source>{state}, step {at} of {total} tested</source>
        <translation>{state}, Schritt {at} von {total} getestet</translation>
    </message>
    <message numerus="yes">
        <source>Success, 1 step</source>
        <extracomment>Success, all {n} steps</extracomment>
        <translation><numerusform>Erfolg, 1 Schritt</numerusform><numerusform>Erfolg, alle {n} Schritte</numerusform></translation>
    </message>
    <message>
        <source>Trigger</source>
        <translation>Auslöser</translation>
    </message>
    <message>
        <source>Step {n}</source>
        <translation>Schritt {n}</translation>
    </message>
    <message>
        <source>Response from {app}</source>
        <translation>Antwort von {app}</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>{state}, 1 step tested</source>
        <translation>{state}, 1 Schritt getestet</translation>
    </message>
    <message>
        <source>{step} failed.</source>
        <translation>{step} ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>or</source>
        <comment>between groups of conditions</comment>
        <translation>oder</translation>
    </message>
    <!-- desktop/core/file_export.py -->
    <message>
        <source>“{file}” couldn't be written.</source>
        <translation>„{file}“ konnte nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>Choose another folder, then export again.</source>
        <translation>Einen anderen Ordner wählen, dann erneut exportieren.</translation>
    </message>
    <!-- desktop/core/flow_alerts.py -->
    <message numerus="yes">
        <source>{n} flow was paused</source>
        <extracomment>{n} flows were paused</extracomment>
        <translation><numerusform>{n} Ablauf wurde pausiert</numerusform><numerusform>{n} Abläufe wurden pausiert</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>“{flow}” failed {n} time</source>
        <extracomment>“{flow}” failed {n} times</extracomment>
        <translation><numerusform>„{flow}“ ist {n}-mal fehlgeschlagen</numerusform><numerusform>„{flow}“ ist {n}-mal fehlgeschlagen</numerusform></translation>
    </message>
    <message>
        <source>“{flow}” was paused</source>
        <translation>„{flow}“ wurde pausiert</translation>
    </message>
    <message>
        <source>“{flow}” failed</source>
        <translation>„{flow}“ ist fehlgeschlagen</translation>
    </message>
    <message numerus="yes">
        <source>{n} execution failed</source>
        <extracomment>{n} executions failed</extracomment>
        <translation><numerusform>{n} Ausführung ist fehlgeschlagen</numerusform><numerusform>{n} Ausführungen sind fehlgeschlagen</numerusform></translation>
    </message>
    <message>
        <source>Resume</source>
        <comment>button: a flow or all runs</comment>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Retry</source>
        <comment>verb, button</comment>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>The backup failed</source>
        <translation>Die Sicherung ist fehlgeschlagen</translation>
    </message>
    <!-- desktop/core/names.py -->
    <message>
        <source>Its flows become uncategorised and keep running. This server can't move them back into a folder.</source>
        <translation>Seine Abläufe gehören dann zu keinem Ordner mehr und laufen weiter. Dieser Server kann sie nicht in einen Ordner zurückverschieben.</translation>
    </message>
    <!-- desktop/core/navigation.py -->
    <message>
        <source>Flows</source>
        <comment>tab</comment>
        <translation>Abläufe</translation>
    </message>
    <message>
        <source>Executions</source>
        <comment>tab</comment>
        <translation>Ausführungen</translation>
    </message>
    <message>
        <source>Folders</source>
        <comment>tab</comment>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Templates</source>
        <comment>tab</comment>
        <translation>Vorlagen</translation>
    </message>
    <message>
        <source>My Apps</source>
        <comment>tab</comment>
        <translation>Meine Apps</translation>
    </message>
    <!-- desktop/core/new_flows.py -->
    <message>
        <source>New flow</source>
        <translation>Neuer Ablauf</translation>
    </message>
    <!-- desktop/core/notification_inbox.py -->
    <message numerus="yes">
        <source>{titles}; and {n} more</source>
        <extracomment>{titles}; and {n} more</extracomment>
        <translation><numerusform>{titles}; und {n} weitere</numerusform><numerusform>{titles}; und {n} weitere</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} notification</source>
        <extracomment>{n} notifications</extracomment>
        <translation><numerusform>{n} Benachrichtigung</numerusform><numerusform>{n} Benachrichtigungen</numerusform></translation>
    </message>
    <message>
        <source>During quiet hours. {text}</source>
        <translation>Während der Ruhezeiten. {text}</translation>
    </message>
    <message>
        <source>During quiet hours.</source>
        <translation>Während der Ruhezeiten.</translation>
    </message>
    <!-- desktop/core/notification_preferences.py -->
    <message>
        <source>Every failure</source>
        <translation>Jeder Fehler</translation>
    </message>
    <message>
        <source>First failure</source>
        <translation>Erster Fehler</translation>
    </message>
    <message>
        <source>Never</source>
        <comment>notify of failures</comment>
        <translation>Nie</translation>
    </message>
    <!-- desktop/core/rate_limits.py -->
    <message numerus="yes">
        <source>max. {calls} in {n} second</source>
        <extracomment>max. {calls} in {n} seconds</extracomment>
        <translation><numerusform>max. {calls} in {n} Sekunde</numerusform><numerusform>max. {calls} in {n} Sekunden</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>max. {n} request in {seconds} seconds</source>
        <extracomment>max. {n} requests in {seconds} seconds</extracomment>
        <translation><numerusform>max. {n} Anfrage in {seconds} Sekunden</numerusform><numerusform>max. {n} Anfragen in {seconds} Sekunden</numerusform></translation>
    </message>
    <message>
        <source>Enter the number of requests: 1 to {maximum}.</source>
        <translation>Die Zahl der Anfragen eingeben: 1 bis {maximum}.</translation>
    </message>
    <message>
        <source>Enter the number of seconds: 1 to {maximum} (1 day).</source>
        <translation>Die Zahl der Sekunden eingeben: 1 bis {maximum} (1 Tag).</translation>
    </message>
    <message>
        <source>second</source>
        <comment>requests per</comment>
        <translation>Sekunde</translation>
    </message>
    <message>
        <source>minute</source>
        <comment>requests per</comment>
        <translation>Minute</translation>
    </message>
    <message>
        <source>hour</source>
        <comment>requests per</comment>
        <translation>Stunde</translation>
    </message>
    <message>
        <source>day</source>
        <comment>requests per</comment>
        <translation>Tag</translation>
    </message>
    <message>
        <source>{limit} (app default: {default})</source>
        <translation>{limit} (Vorgabe der App: {default})</translation>
    </message>
    <message>
        <source>{limit}, the app's default</source>
        <translation>{limit}, die Vorgabe der App</translation>
    </message>
    <message>
        <source>max. {calls} a second</source>
        <translation>max. {calls} pro Sekunde</translation>
    </message>
    <message>
        <source>max. {calls} a minute</source>
        <translation>max. {calls} pro Minute</translation>
    </message>
    <message>
        <source>max. {calls} an hour</source>
        <translation>max. {calls} pro Stunde</translation>
    </message>
    <message>
        <source>max. {calls} a day</source>
        <translation>max. {calls} pro Tag</translation>
    </message>
    <message numerus="yes">
        <source>max. {n} request a second</source>
        <extracomment>max. {n} requests a second</extracomment>
        <translation><numerusform>max. {n} Anfrage pro Sekunde</numerusform><numerusform>max. {n} Anfragen pro Sekunde</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>max. {n} request a minute</source>
        <extracomment>max. {n} requests a minute</extracomment>
        <translation><numerusform>max. {n} Anfrage pro Minute</numerusform><numerusform>max. {n} Anfragen pro Minute</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>max. {n} request an hour</source>
        <extracomment>max. {n} requests an hour</extracomment>
        <translation><numerusform>max. {n} Anfrage pro Stunde</numerusform><numerusform>max. {n} Anfragen pro Stunde</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>max. {n} request a day</source>
        <extracomment>max. {n} requests a day</extracomment>
        <translation><numerusform>max. {n} Anfrage pro Tag</numerusform><numerusform>max. {n} Anfragen pro Tag</numerusform></translation>
    </message>
    <!-- desktop/core/secret_stores.py -->
    <message>
        <source>Secrets in system keyring</source>
        <translation>Geheimnisse im Schlüsselbund des Systems</translation>
    </message>
    <message>
        <source>Secrets in passphrase vault</source>
        <translation>Geheimnisse im Passphrasentresor</translation>
    </message>
    <message>
        <source>Secrets in data key file</source>
        <translation>Geheimnisse mit Datenschlüsseldatei</translation>
    </message>
    <message>
        <source>Secrets in memory</source>
        <translation>Geheimnisse im Arbeitsspeicher</translation>
    </message>
    <message>
        <source>Encrypted in your data folder; the key to it is in the system keyring.</source>
        <translation>Verschlüsselt im Datenordner; der Schlüssel dazu liegt im Schlüsselbund des Systems.</translation>
    </message>
    <message>
        <source>Credentials are encrypted with your passphrase; the key is in a file that only you can read.</source>
        <translation>Zugangsdaten sind mit der eigenen Passphrase verschlüsselt; der Schlüssel liegt in einer Datei, die niemand sonst lesen kann.</translation>
    </message>
    <message>
        <source>Credentials are encrypted in the database; their key is derived from the data key in a file.</source>
        <translation>Zugangsdaten sind in der Datenbank verschlüsselt; ihr Schlüssel wird aus dem Datenschlüssel in einer Datei abgeleitet.</translation>
    </message>
    <message>
        <source>Credentials are kept in memory only and deleted when the demo closes.</source>
        <translation>Zugangsdaten liegen nur im Arbeitsspeicher und werden gelöscht, wenn die Demo geschlossen wird.</translation>
    </message>
    <message>
        <source>Waiting for the {name}</source>
        <comment>a store of secrets</comment>
        <translation>Warten auf: {name}</translation>
    </message>
    <message>
        <source>Secrets in {name}</source>
        <translation>Geheimnisse in: {name}</translation>
    </message>
    <message>
        <source>With the service.</source>
        <translation>Auf dem Server.</translation>
    </message>
    <message>
        <source>Waiting for the system keyring</source>
        <translation>Warten auf den Schlüsselbund des Systems</translation>
    </message>
    <!-- desktop/core/times.py -->
    <message>
        <source>last hour</source>
        <translation>letzte Stunde</translation>
    </message>
    <message>
        <source>today</source>
        <translation>heute</translation>
    </message>
    <message>
        <source>last 7 days</source>
        <translation>letzte 7 Tage</translation>
    </message>
    <message>
        <source>last 30 days</source>
        <translation>letzte 30 Tage</translation>
    </message>
    <message>
        <source>{n} d</source>
        <comment>days</comment>
        <translation>{n} T.</translation>
    </message>
    <message>
        <source>Last 6 hours, per 10 minutes</source>
        <translation>Letzte 6 Stunden, je 10 Minuten</translation>
    </message>
    <message>
        <source>Last 24 hours, per 30 minutes</source>
        <translation>Letzte 24 Stunden, je 30 Minuten</translation>
    </message>
    <message>
        <source>Last 7 days, per 4 hours</source>
        <translation>Letzte 7 Tage, je 4 Stunden</translation>
    </message>
    <message>
        <source>Last 14 days, per 6 hours</source>
        <translation>Letzte 14 Tage, je 6 Stunden</translation>
    </message>
    <message>
        <source>Last 60 days, per day</source>
        <translation>Letzte 60 Tage, je Tag</translation>
    </message>
    <message>
        <source>Last year, per week</source>
        <translation>Letzte 12 Monate, je Woche</translation>
    </message>
    <message>
        <source>today {time}</source>
        <translation>heute {time}</translation>
    </message>
    <message>
        <source>{n} ms</source>
        <translation>{n} ms</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} s</translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation>{n} min</translation>
    </message>
    <message>
        <source>{d} d {h} h</source>
        <translation>{d} T. {h} h</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <source>{duration} ago</source>
        <translation>vor {duration}</translation>
    </message>
    <message>
        <source>until {time}</source>
        <translation>bis {time}</translation>
    </message>
    <message>
        <source>{start} – now</source>
        <translation>{start} – jetzt</translation>
    </message>
    <message>
        <source>{m} min {s} s</source>
        <translation>{m} min {s} s</translation>
    </message>
    <message>
        <source>{h} h {m} min</source>
        <translation>{h} h {m} min</translation>
    </message>
    <message>
        <source>{n} h</source>
        <translation>{n} h</translation>
    </message>
    <!-- desktop/editor/branch_forms.py -->
    <message>
        <source>First matching branch</source>
        <translation>Erster passender Zweig</translation>
    </message>
    <message>
        <source>Conditions are checked from top to bottom. Only the first match runs.</source>
        <translation>Die Bedingungen werden von oben nach unten geprüft. Nur der erste passende Zweig läuft.</translation>
    </message>
    <message>
        <source>All matching branches</source>
        <translation>Alle passenden Zweige</translation>
    </message>
    <message>
        <source>Every branch that matches runs, one after the other from top to bottom.</source>
        <translation>Jeder passende Zweig läuft, einer nach dem anderen von oben nach unten.</translation>
    </message>
    <message>
        <source>Which branches run</source>
        <translation>Welche Zweige laufen</translation>
    </message>
    <message>
        <source>Add branch</source>
        <translation>Zweig hinzufügen</translation>
    </message>
    <message>
        <source>Branch name</source>
        <translation>Name des Zweigs</translation>
    </message>
    <message>
        <source>Rename: branch name</source>
        <translation>Zweig umbenennen</translation>
    </message>
    <message>
        <source>Open</source>
        <comment>verb, button</comment>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>Nach oben verschieben</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>Nach unten verschieben</translation>
    </message>
    <message>
        <source>Delete branch</source>
        <translation>Zweig löschen</translation>
    </message>
    <message>
        <source>Open “{name}”</source>
        <translation>„{name}“ öffnen</translation>
    </message>
    <message>
        <source>Delete “{name}”</source>
        <translation>„{name}“ löschen</translation>
    </message>
    <message>
        <source>The default branch has no conditions, and its position doesn't matter.</source>
        <translation>Der Standardzweig hat keine Bedingungen, und seine Position spielt keine Rolle.</translation>
    </message>
    <message>
        <source>Run this branch when</source>
        <comment>followed by conditions</comment>
        <translation>Diesen Zweig ausführen, wenn</translation>
    </message>
    <message>
        <source>the current item</source>
        <translation>das aktuelle Element</translation>
    </message>
    <message>
        <source>its position, starting at 1</source>
        <translation>seine Position, ab 1 gezählt</translation>
    </message>
    <message>
        <source>the number of items</source>
        <translation>die Anzahl der Elemente</translation>
    </message>
    <message>
        <source>after the loop: the output of its last step for each item</source>
        <translation>nach der Schleife: die Ausgabe ihres letzten Schritts für jedes Element</translation>
    </message>
    <message>
        <source>Branches</source>
        <comment>heading of a list</comment>
        <translation>Zweige</translation>
    </message>
    <message>
        <source>This is the first branch.</source>
        <translation>Dies ist der erste Zweig.</translation>
    </message>
    <message>
        <source>This is the last branch.</source>
        <translation>Dies ist der letzte Zweig.</translation>
    </message>
    <message>
        <source>Default branch: runs when no other branch matches</source>
        <translation>Standardzweig: läuft, wenn kein anderer Zweig passt</translation>
    </message>
    <message>
        <source>Loop variables</source>
        <translation>Variablen der Schleife</translation>
    </message>
    <!-- desktop/editor/event_chooser.py -->
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Search apps and events</source>
        <translation>Apps und Ereignisse suchen</translation>
    </message>
    <message>
        <source>Apps and events</source>
        <translation>Apps und Ereignisse</translation>
    </message>
    <message>
        <source>What starts this flow?</source>
        <translation>Was startet diesen Ablauf?</translation>
    </message>
    <message>
        <source>What should this step do?</source>
        <translation>Was soll dieser Schritt tun?</translation>
    </message>
    <message>
        <source>Choose an event. The flow runs each time it happens.</source>
        <translation>Ein Ereignis wählen. Der Ablauf läuft jedes Mal, wenn es eintritt.</translation>
    </message>
    <message>
        <source>Choose an action. It can use variables from earlier steps.</source>
        <translation>Eine Aktion wählen. Sie kann Variablen aus früheren Schritten verwenden.</translation>
    </message>
    <message>
        <source>Loading apps</source>
        <translation>Apps werden geladen</translation>
    </message>
    <message>
        <source>No app or event matches “{query}”.</source>
        <translation>Keine App und kein Ereignis passt zu „{query}“.</translation>
    </message>
    <!-- desktop/editor/failure_section.py -->
    <message>
        <source>When it fails</source>
        <comment>heading: what happens when the step fails</comment>
        <translation>Bei einem Fehler</translation>
    </message>
    <message>
        <source>Default</source>
        <comment>a value that isn't set</comment>
        <translation>Standard</translation>
    </message>
    <!-- desktop/editor/fields/base.py -->
    <message>
        <source>This version of Patchbay can't edit fields of type “{kind}”. The value is kept.</source>
        <translation>Diese Version von Patchbay kann Felder vom Typ „{kind}“ nicht bearbeiten. Der Wert bleibt erhalten.</translation>
    </message>
    <!-- desktop/editor/fields/choice.py -->
    <message>
        <source>Choose from the list</source>
        <translation>Aus der Liste wählen</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Choose {field} first</source>
        <translation>Zuerst {field} wählen</translation>
    </message>
    <message>
        <source>Loading options</source>
        <translation>Optionen werden geladen</translation>
    </message>
    <message>
        <source>Couldn't load the options</source>
        <translation>Optionen nicht geladen</translation>
    </message>
    <message>
        <source>No options available</source>
        <translation>Keine Optionen vorhanden</translation>
    </message>
    <message>
        <source>Choose</source>
        <comment>placeholder of a list of options</comment>
        <translation>Wählen</translation>
    </message>
    <message>
        <source>Choose a connection first</source>
        <translation>Zuerst eine Verbindung wählen</translation>
    </message>
    <message>
        <source>No selection</source>
        <translation>Keine Auswahl</translation>
    </message>
    <message>
        <source>Enter a value…</source>
        <translation>Wert eingeben…</translation>
    </message>
    <message>
        <source>Reload options</source>
        <translation>Optionen neu laden</translation>
    </message>
    <!-- desktop/editor/fields/code.py -->
    <message>
        <source>Tab indents. To move to the next field, press Esc, then Tab.</source>
        <translation>Tab rückt ein. Zum nächsten Feld: erst Esc, dann Tab drücken.</translation>
    </message>
    <!-- desktop/editor/fields/conditions.py -->
    <message>
        <source>2026-03-31, today, or now</source>
        <comment>example; today and now are keywords</comment>
        <translation>2026-03-31, today oder now</translation>
    </message>
    <message>
        <source>Add OR group</source>
        <translation>ODER-Gruppe hinzufügen</translation>
    </message>
    <message>
        <source>Add AND condition</source>
        <translation>UND-Bedingung hinzufügen</translation>
    </message>
    <message>
        <source>Value to check</source>
        <translation>Zu prüfender Wert</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>Vergleichen mit</translation>
    </message>
    <message>
        <source>Unit of time</source>
        <translation>Zeiteinheit</translation>
    </message>
    <message>
        <source>Ignore case</source>
        <translation>Groß-/Kleinschreibung ignorieren</translation>
    </message>
    <message>
        <source>Remove condition</source>
        <translation>Bedingung entfernen</translation>
    </message>
    <message>
        <source>or</source>
        <comment>between conditions</comment>
        <translation>oder</translation>
    </message>
    <message>
        <source>and</source>
        <comment>between conditions</comment>
        <translation>und</translation>
    </message>
    <!-- desktop/editor/fields/row_fields.py -->
    <message>
        <source>Remove row from {field}</source>
        <translation>Zeile aus {field} entfernen</translation>
    </message>
    <!-- desktop/editor/fields/variable_chips.py -->
    <message>
        <source>or “{value}”</source>
        <comment>a fallback value</comment>
        <translation>oder „{value}“</translation>
    </message>
    <message>
        <source>or empty</source>
        <translation>oder leer</translation>
    </message>
    <message>
        <source>as JSON</source>
        <translation>als JSON</translation>
    </message>
    <!-- desktop/editor/fields/variable_picker.py -->
    <message>
        <source>Show all</source>
        <comment>variables of a step</comment>
        <translation>Alle anzeigen</translation>
    </message>
    <message>
        <source>Sample from run at {time}</source>
        <translation>Beispiel aus dem Lauf: {time}</translation>
    </message>
    <message numerus="yes">
        <source>Search {n} variable</source>
        <extracomment>Search {n} variables</extracomment>
        <translation><numerusform>{n} Variable durchsuchen</numerusform><numerusform>{n} Variablen durchsuchen</numerusform></translation>
    </message>
    <message>
        <source>Search variables from earlier steps</source>
        <translation>Variablen aus früheren Schritten suchen</translation>
    </message>
    <message>
        <source>Values</source>
        <comment>variables</comment>
        <translation>Werte</translation>
    </message>
    <message>
        <source>no sample yet, test this step</source>
        <translation>noch kein Beispiel, diesen Schritt testen</translation>
    </message>
    <message>
        <source>choose</source>
        <comment>what keys do</comment>
        <translation>wählen</translation>
    </message>
    <message>
        <source>insert</source>
        <comment>what keys do</comment>
        <translation>einfügen</translation>
    </message>
    <message>
        <source>close</source>
        <comment>what keys do</comment>
        <translation>schließen</translation>
    </message>
    <message>
        <source>{listed} of {total} variables</source>
        <translation>{listed} von {total} Variablen</translation>
    </message>
    <message numerus="yes">
        <source>{n} variable</source>
        <extracomment>{n} variables</extracomment>
        <translation><numerusform>{n} Variable</numerusform><numerusform>{n} Variablen</numerusform></translation>
    </message>
    <message>
        <source>No matching variables.</source>
        <translation>Keine passenden Variablen.</translation>
    </message>
    <message>
        <source>There are no earlier steps to insert variables from.</source>
        <translation>Es gibt keine früheren Schritte, aus denen Variablen eingefügt werden können.</translation>
    </message>
    <message>
        <source>Test an earlier step to see its variables here.</source>
        <translation>Einen früheren Schritt testen, um hier seine Variablen zu sehen.</translation>
    </message>
    <!-- desktop/editor/fields/variable_text.py -->
    <message>
        <source>{keys}: if empty, as JSON</source>
        <translation>{keys}: falls leer, als JSON</translation>
    </message>
    <message>
        <source>Leave empty and warn</source>
        <translation>Leer lassen und warnen</translation>
    </message>
    <message>
        <source>Insert as JSON</source>
        <translation>Als JSON einfügen</translation>
    </message>
    <message>
        <source>Adds quotes around text so that it's valid inside JSON.</source>
        <translation>Setzt Text in Anführungszeichen, damit er in JSON gültig ist.</translation>
    </message>
    <message>
        <source>This step was deleted, runs later, or is in another branch.</source>
        <translation>Dieser Schritt wurde gelöscht, läuft später oder liegt in einem anderen Zweig.</translation>
    </message>
    <message>
        <source>Insert variable into {field}</source>
        <translation>Variable in {field} einfügen</translation>
    </message>
    <message>
        <source>If empty, use</source>
        <translation>Falls leer, verwenden</translation>
    </message>
    <message>
        <source>If empty, use…</source>
        <translation>Falls leer, verwenden…</translation>
    </message>
    <message>
        <source>Insert variable</source>
        <translation>Variable einfügen</translation>
    </message>
    <!-- desktop/editor/flow_settings_dialog.py -->
    <message>
        <source>Up to the engine's limit</source>
        <translation>Bis zur Grenze der Engine</translation>
    </message>
    <message>
        <source>One at a time</source>
        <translation>Einer nach dem anderen</translation>
    </message>
    <message>
        <source>At most</source>
        <comment>followed by a number of runs at a time</comment>
        <translation>Höchstens</translation>
    </message>
    <message>
        <source>Skip them</source>
        <comment>missed starts</comment>
        <translation>Überspringen</translation>
    </message>
    <message>
        <source>Missed starts are listed in Executions but don't run.</source>
        <translation>Verpasste Starts stehen unter „Ausführungen“, laufen aber nicht.</translation>
    </message>
    <message>
        <source>Run once</source>
        <translation>Einmal ausführen</translation>
    </message>
    <message>
        <source>One run, however many starts were missed.</source>
        <translation>Ein Lauf, egal wie viele Starts verpasst wurden.</translation>
    </message>
    <message>
        <source>Run all</source>
        <comment>missed starts</comment>
        <translation>Alle ausführen</translation>
    </message>
    <message>
        <source>One run for each missed start, up to {limit}.</source>
        <translation>Ein Lauf für jeden verpassten Start, höchstens {limit}.</translation>
    </message>
    <message>
        <source>Flow settings</source>
        <translation>Einstellungen des Ablaufs</translation>
    </message>
    <message>
        <source>Max. runs at a time</source>
        <translation>Max. gleichzeitige Läufe</translation>
    </message>
    <message>
        <source>at a time</source>
        <comment>after a number of runs</comment>
        <translation>gleichzeitig</translation>
    </message>
    <message>
        <source>Maximum runs at a time</source>
        <translation>Höchstzahl gleichzeitiger Läufe</translation>
    </message>
    <message>
        <source>Pause this flow after</source>
        <comment>followed by a number of failures in a row</comment>
        <translation>Diesen Ablauf pausieren nach</translation>
    </message>
    <message>
        <source>failures in a row</source>
        <comment>after a number</comment>
        <translation>Fehlern in Folge</translation>
    </message>
    <message>
        <source>Failures in a row</source>
        <translation>Fehler in Folge</translation>
    </message>
    <message>
        <source>Missed starts</source>
        <translation>Verpasste Starts</translation>
    </message>
    <message>
        <source>Time zone</source>
        <translation>Zeitzone</translation>
    </message>
    <message>
        <source>After failures</source>
        <translation>Nach Fehlern</translation>
    </message>
    <message>
        <source>Time zone of the schedule</source>
        <translation>Zeitzone des Zeitplans</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>This flow isn't paused after failures.</source>
        <translation>Dieser Ablauf wird nach Fehlern nicht pausiert.</translation>
    </message>
    <message>
        <source>These settings are read-only here</source>
        <translation>Diese Einstellungen sind hier schreibgeschützt</translation>
    </message>
    <message>
        <source>runs at a time</source>
        <comment>a changed setting</comment>
        <translation>gleichzeitige Läufe</translation>
    </message>
    <message>
        <source>pause after failures</source>
        <comment>a changed setting</comment>
        <translation>Pausieren nach Fehlern</translation>
    </message>
    <message>
        <source>“{name}”</source>
        <translation>„{name}“</translation>
    </message>
    <message>
        <source>“One at a time” keeps events in order. New events wait for the current run to finish.</source>
        <translation>„Einer nach dem anderen“ hält die Reihenfolge der Ereignisse ein. Neue Ereignisse warten, bis der aktuelle Lauf fertig ist.</translation>
    </message>
    <message>
        <source>A paused flow queues its events and doesn't run until you resume it.</source>
        <translation>Ein pausierter Ablauf sammelt seine Ereignisse in der Warteschlange und läuft erst, wenn er fortgesetzt wird.</translation>
    </message>
    <message>
        <source>Changes take effect immediately</source>
        <translation>Änderungen gelten sofort</translation>
    </message>
    <message>
        <source>missed starts</source>
        <comment>a changed setting</comment>
        <translation>verpasste Starts</translation>
    </message>
    <message>
        <source>time zone</source>
        <comment>a changed setting</comment>
        <translation>Zeitzone</translation>
    </message>
    <!-- desktop/editor/form_fields.py -->
    <message>
        <source>Unnamed connection</source>
        <translation>Unbenannte Verbindung</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>Verbindung</translation>
    </message>
    <message>
        <source>Valid, tested {time}</source>
        <translation>Gültig, getestet {time}</translation>
    </message>
    <message>
        <source>No connection</source>
        <translation>Keine Verbindung</translation>
    </message>
    <message>
        <source>Choose a connection</source>
        <translation>Verbindung wählen</translation>
    </message>
    <message>
        <source>This connection was deleted</source>
        <translation>Diese Verbindung wurde gelöscht</translation>
    </message>
    <message>
        <source>Add connection…</source>
        <translation>Verbindung hinzufügen…</translation>
    </message>
    <message>
        <source>Couldn't load more fields. {error}</source>
        <translation>Weitere Felder konnten nicht geladen werden. {error}</translation>
    </message>
    <message>
        <source>optional</source>
        <comment>beside the name of a field</comment>
        <translation>optional</translation>
    </message>
    <message>
        <source>Loading more fields</source>
        <translation>Weitere Felder werden geladen</translation>
    </message>
    <!-- desktop/editor/form_pane.py -->
    <message>
        <source>Requests start the flow once it's published. Until then, every request is a test.</source>
        <translation>Anfragen starten den Ablauf, sobald er veröffentlicht ist. Bis dahin ist jede Anfrage ein Test.</translation>
    </message>
    <message>
        <source>Visitors open this address once the flow is published. Until then, what they send is a test.</source>
        <translation>Besucher öffnen diese Adresse, sobald der Ablauf veröffentlicht ist. Bis dahin ist alles, was sie senden, ein Test.</translation>
    </message>
    <message>
        <source>Requests to this address are always tests. They appear here, and nothing runs.</source>
        <translation>Anfragen an diese Adresse sind immer Tests. Sie erscheinen hier, und nichts wird ausgeführt.</translation>
    </message>
    <message>
        <source>What is sent from this address is always a test. It appears here, and nothing runs.</source>
        <translation>Was von dieser Adresse gesendet wird, ist immer ein Test. Es erscheint hier, und nichts wird ausgeführt.</translation>
    </message>
    <message>
        <source>Requests must be signed. Unsigned requests are rejected.</source>
        <translation>Anfragen müssen signiert sein. Anfragen ohne Signatur werden abgelehnt.</translation>
    </message>
    <message>
        <source>Requests aren't signed. Anyone who knows the address can start the flow.</source>
        <translation>Anfragen sind nicht signiert. Wer die Adresse kennt, kann den Ablauf starten.</translation>
    </message>
    <message numerus="yes">
        <source>{n} minute</source>
        <comment>after: look for new items every</comment>
        <extracomment>{n} minutes</extracomment>
        <translation><numerusform>jede Minute</numerusform><numerusform>alle {n} Minuten</numerusform></translation>
    </message>
    <message>
        <source>Decides which branches run</source>
        <translation>Entscheidet, welche Zweige laufen</translation>
    </message>
    <message>
        <source>Branch</source>
        <comment>a kind of step</comment>
        <translation>Zweig</translation>
    </message>
    <message>
        <source>Runs steps for each item of a list</source>
        <translation>Führt Schritte für jedes Element einer Liste aus</translation>
    </message>
    <message>
        <source>hour</source>
        <comment>after: look for new items every</comment>
        <translation>jede Stunde</translation>
    </message>
    <message>
        <source>minute</source>
        <comment>after: look for new items every</comment>
        <translation>jede Minute</translation>
    </message>
    <message>
        <source>Step {number}</source>
        <translation>Schritt {number}</translation>
    </message>
    <message>
        <source>address that starts the flow</source>
        <translation>Startadresse des Ablaufs</translation>
    </message>
    <message>
        <source>Webhook address</source>
        <translation>Webhook-Adresse</translation>
    </message>
    <message>
        <source>Open page</source>
        <translation>Seite öffnen</translation>
    </message>
    <message>
        <source>address for tests</source>
        <translation>Testadresse</translation>
    </message>
    <message>
        <source>Test address</source>
        <translation>Testadresse</translation>
    </message>
    <message>
        <source>Open page for tests</source>
        <translation>Testseite öffnen</translation>
    </message>
    <message>
        <source>address that waits for the response</source>
        <translation>Adresse mit Warten auf die Antwort</translation>
    </message>
    <message>
        <source>Address that waits for the response</source>
        <translation>Adresse, die auf die Antwort wartet</translation>
    </message>
    <message>
        <source>No address yet</source>
        <translation>Noch keine Adresse</translation>
    </message>
    <message>
        <source>Requests can't reach this workspace. Skip the test to continue. In a workspace on this computer or on a server, the flow gets an address.</source>
        <translation>Anfragen können diesen Arbeitsbereich nicht erreichen. Zum Fortfahren den Test auslassen. In einem Arbeitsbereich auf diesem Computer oder auf einem Server erhält der Ablauf eine Adresse.</translation>
    </message>
    <message>
        <source>Look for new items every</source>
        <comment>followed by a time, such as 5 minutes</comment>
        <translation>Nach neuen Einträgen suchen</translation>
    </message>
    <message>
        <source>Open the called flow</source>
        <translation>Aufgerufenen Ablauf öffnen</translation>
    </message>
    <message>
        <source>Step name</source>
        <translation>Name des Schritts</translation>
    </message>
    <message>
        <source>Rename: step name</source>
        <translation>Schritt umbenennen</translation>
    </message>
    <message>
        <source>Change…</source>
        <comment>verb, button</comment>
        <translation>Ändern…</translation>
    </message>
    <message>
        <source>More about this step</source>
        <translation>Mehr zu diesem Schritt</translation>
    </message>
    <message>
        <source>Trigger in {app}</source>
        <translation>Auslöser in {app}</translation>
    </message>
    <message>
        <source>Action in {app}</source>
        <translation>Aktion in {app}</translation>
    </message>
    <message>
        <source>The caller receives the response from “Respond with”.</source>
        <translation>Der Aufrufer erhält die Antwort aus „Respond with“.</translation>
    </message>
    <message>
        <source>Form address</source>
        <translation>Adresse des Formulars</translation>
    </message>
    <message>
        <source>This flow is read-only here</source>
        <translation>Dieser Ablauf ist hier schreibgeschützt</translation>
    </message>
    <message>
        <source>The credentials were rejected when they were last used.</source>
        <translation>Die Zugangsdaten wurden bei der letzten Verwendung abgelehnt.</translation>
    </message>
    <message>
        <source>“{name}” needs reconnecting</source>
        <translation>„{name}“ muss neu verbunden werden</translation>
    </message>
    <message>
        <source>Reconnect…</source>
        <translation>Neu verbinden…</translation>
    </message>
    <!-- desktop/editor/header.py -->
    <message>
        <source>New events are queued and run when you resume it.</source>
        <translation>Neue Ereignisse kommen in die Warteschlange und laufen, wenn er fortgesetzt wird.</translation>
    </message>
    <message>
        <source>Version {number} published</source>
        <translation>Version {number} veröffentlicht</translation>
    </message>
    <message>
        <source>Version {number} paused</source>
        <translation>Version {number} pausiert</translation>
    </message>
    <message>
        <source>This flow is paused</source>
        <translation>Dieser Ablauf ist pausiert</translation>
    </message>
    <message>
        <source>Resume</source>
        <comment>verb, button</comment>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Back to the list (Alt+Left)</source>
        <translation>Zurück zur Liste (Alt+Links)</translation>
    </message>
    <message>
        <source>Flow name</source>
        <translation>Name des Ablaufs</translation>
    </message>
    <message>
        <source>Rename: flow name</source>
        <translation>Ablauf umbenennen</translation>
    </message>
    <message>
        <source>Editing a draft</source>
        <translation>Entwurf in Arbeit</translation>
    </message>
    <message>
        <source>Retry saving</source>
        <translation>Erneut speichern</translation>
    </message>
    <message>
        <source>Pause this flow</source>
        <translation>Diesen Ablauf pausieren</translation>
    </message>
    <message>
        <source>Unpublish</source>
        <translation>Zurückziehen</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>Jetzt ausführen</translation>
    </message>
    <message>
        <source>This flow is paused. {reason}</source>
        <translation>Dieser Ablauf ist pausiert. {reason}</translation>
    </message>
    <message>
        <source>Resume this flow</source>
        <translation>Diesen Ablauf fortsetzen</translation>
    </message>
    <message>
        <source>Not saved. {error}</source>
        <translation>Nicht gespeichert. {error}</translation>
    </message>
    <message>
        <source>Saving</source>
        <translation>Wird gespeichert</translation>
    </message>
    <message>
        <source>Draft saved {time}</source>
        <translation>Entwurf gespeichert {time}</translation>
    </message>
    <message>
        <source>Run the published version</source>
        <translation>Die veröffentlichte Version ausführen</translation>
    </message>
    <message>
        <source>Run the draft once, as a test</source>
        <translation>Den Entwurf einmal als Test ausführen</translation>
    </message>
    <!-- desktop/editor/page.py -->
    <message>
        <source>This flow was deleted</source>
        <translation>Dieser Ablauf wurde gelöscht</translation>
    </message>
    <message>
        <source>Back to the list</source>
        <translation>Zurück zur Liste</translation>
    </message>
    <message>
        <source>Opening the flow</source>
        <translation>Ablauf wird geöffnet</translation>
    </message>
    <!-- desktop/editor/publish_bar.py -->
    <message numerus="yes">
        <source>{n} issue to fix</source>
        <extracomment>{n} issues to fix</extracomment>
        <translation><numerusform>{n} Problem zu beheben,</numerusform><numerusform>{n} Probleme zu beheben,</numerusform></translation>
    </message>
    <message>
        <source>Collapse the list</source>
        <translation>Liste einklappen</translation>
    </message>
    <message>
        <source>Publish</source>
        <comment>verb, button</comment>
        <translation>Veröffentlichen</translation>
    </message>
    <message>
        <source>before this flow can run</source>
        <comment>after: 2 issues to fix</comment>
        <translation>bevor dieser Ablauf laufen kann</translation>
    </message>
    <message>
        <source>before this draft can replace version {version}</source>
        <comment>after: 2 issues to fix</comment>
        <translation>bevor dieser Entwurf Version {version} ersetzen kann</translation>
    </message>
    <message>
        <source>Version {version} keeps running until then</source>
        <translation>Version {version} läuft bis dahin weiter</translation>
    </message>
    <message>
        <source>Publishing</source>
        <translation>Wird veröffentlicht</translation>
    </message>
    <message>
        <source>Ready to publish</source>
        <translation>Bereit zum Veröffentlichen</translation>
    </message>
    <message>
        <source>Expand the list</source>
        <translation>Liste ausklappen</translation>
    </message>
    <!-- desktop/editor/step_list.py -->
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Add a step here</source>
        <translation>Hier einen Schritt hinzufügen</translation>
    </message>
    <!-- desktop/editor/step_previews.py -->
    <message>
        <source>Calculating</source>
        <translation>Wird berechnet</translation>
    </message>
    <message>
        <source>The result is empty.</source>
        <translation>Das Ergebnis ist leer.</translation>
    </message>
    <message>
        <source>Result with the latest data</source>
        <translation>Ergebnis mit den neuesten Daten</translation>
    </message>
    <message>
        <source>Result with the latest data: {text}</source>
        <translation>Ergebnis mit den neuesten Daten: {text}</translation>
    </message>
    <message>
        <source>Next runs</source>
        <comment>of a schedule</comment>
        <translation>Nächste Läufe</translation>
    </message>
    <!-- desktop/editor/step_rows.py -->
    <message>
        <source>ready</source>
        <comment>state of a step</comment>
        <translation>bereit</translation>
    </message>
    <message>
        <source>ready, test skipped</source>
        <comment>state of a step</comment>
        <translation>bereit, Test ausgelassen</translation>
    </message>
    <message>
        <source>incomplete</source>
        <comment>state of a step</comment>
        <translation>unvollständig</translation>
    </message>
    <message>
        <source>not tested</source>
        <comment>state of a step</comment>
        <translation>nicht getestet</translation>
    </message>
    <message>
        <source>test failed</source>
        <comment>state of a step</comment>
        <translation>Test fehlgeschlagen</translation>
    </message>
    <message>
        <source>testing</source>
        <comment>state of a step</comment>
        <translation>wird getestet</translation>
    </message>
    <message>
        <source>State: {state}</source>
        <comment>of a step</comment>
        <translation>Zustand: {state}</translation>
    </message>
    <message>
        <source>Add step</source>
        <translation>Schritt hinzufügen</translation>
    </message>
    <message>
        <source>Choose a trigger</source>
        <translation>Auslöser wählen</translation>
    </message>
    <message>
        <source>Choose an action</source>
        <translation>Aktion wählen</translation>
    </message>
    <message numerus="yes">
        <source>{n} step inside</source>
        <extracomment>{n} steps inside</extracomment>
        <translation><numerusform>{n} Schritt darin</numerusform><numerusform>{n} Schritte darin</numerusform></translation>
    </message>
    <message>
        <source>of {list}</source>
        <comment>after: for each item</comment>
        <translation>von {list}</translation>
    </message>
    <message>
        <source>No list selected</source>
        <translation>Keine Liste gewählt</translation>
    </message>
    <message>
        <source>level {number}</source>
        <comment>how deep a step is nested</comment>
        <translation>Ebene {number}</translation>
    </message>
    <message>
        <source>collapsed</source>
        <comment>state of a step with steps inside</comment>
        <translation>eingeklappt</translation>
    </message>
    <message>
        <source>Starts the flow</source>
        <translation>Startet den Ablauf</translation>
    </message>
    <message>
        <source>Runs an action</source>
        <translation>Führt eine Aktion aus</translation>
    </message>
    <!-- desktop/editor/steps_pane.py -->
    <message>
        <source>Add a branch</source>
        <translation>Einen Zweig hinzufügen</translation>
    </message>
    <message>
        <source>Add a step to this branch</source>
        <translation>Schritt in diesem Zweig hinzufügen</translation>
    </message>
    <message>
        <source>Add a step to the loop</source>
        <translation>Schritt in der Schleife hinzufügen</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Branches</source>
        <comment>a kind of step</comment>
        <translation>Zweige</translation>
    </message>
    <message>
        <source>For each item</source>
        <comment>a kind of step</comment>
        <translation>Für jedes Element</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Add a step after</source>
        <translation>Schritt danach hinzufügen</translation>
    </message>
    <message>
        <source>Actions for step {number}</source>
        <translation>Aktionen für Schritt {number}</translation>
    </message>
    <message>
        <source>Actions</source>
        <comment>menu of commands</comment>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Duplizieren</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Add “{kind}” after</source>
        <translation>„{kind}“ danach hinzufügen</translation>
    </message>
    <message>
        <source>Move out</source>
        <translation>Nach außen verschieben</translation>
    </message>
    <message>
        <source>Move into the step above</source>
        <translation>In den Schritt darüber verschieben</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message numerus="yes">
        <source>{n} step</source>
        <extracomment>{n} steps</extracomment>
        <translation><numerusform>{n} Schritt</numerusform><numerusform>{n} Schritte</numerusform></translation>
    </message>
    <message>
        <source>Choose an event first.</source>
        <translation>Zuerst ein Ereignis wählen.</translation>
    </message>
    <message>
        <source>Undo {change}</source>
        <translation>Rückgängig: {change}</translation>
    </message>
    <message>
        <source>Redo {change}</source>
        <translation>Wiederherstellen: {change}</translation>
    </message>
    <message>
        <source>Nothing to undo.</source>
        <translation>Nichts rückgängig zu machen.</translation>
    </message>
    <message>
        <source>Nothing to redo.</source>
        <translation>Nichts wiederherzustellen.</translation>
    </message>
    <!-- desktop/editor/test_pane.py -->
    <message>
        <source>Waiting for a request. Send one to the test address and it appears here.</source>
        <translation>Wartet auf eine Anfrage. Sobald eine an die Testadresse gesendet wird, erscheint sie hier.</translation>
    </message>
    <message>
        <source>Waiting for a submission. Open the test address, fill in the form, and it appears here.</source>
        <translation>Wartet auf eine Eingabe. Die Testadresse öffnen und das Formular ausfüllen, dann erscheint sie hier.</translation>
    </message>
    <message>
        <source>Requests can't reach this workspace. Skip the test to continue.</source>
        <translation>Anfragen können diesen Arbeitsbereich nicht erreichen. Zum Fortfahren den Test auslassen.</translation>
    </message>
    <message>
        <source>Success</source>
        <comment>result of a step</comment>
        <translation>Erfolg</translation>
    </message>
    <message>
        <source>Failure</source>
        <comment>result of a step</comment>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Stopped by the filter</source>
        <translation>Vom Filter angehalten</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <comment>result of a step</comment>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>Running</source>
        <comment>state of a step</comment>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>No input.</source>
        <translation>Keine Eingabe.</translation>
    </message>
    <message>
        <source>Test this step</source>
        <translation>Schritt testen</translation>
    </message>
    <message>
        <source>Test</source>
        <comment>verb, button</comment>
        <translation>Testen</translation>
    </message>
    <message>
        <source>Skip test</source>
        <translation>Auslassen</translation>
    </message>
    <message>
        <source>Mark this step as ready without running it</source>
        <translation>Diesen Schritt als bereit markieren, ohne ihn auszuführen</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Search in the data</source>
        <translation>In den Daten suchen</translation>
    </message>
    <message>
        <source>Copy as JSON</source>
        <translation>Als JSON kopieren</translation>
    </message>
    <message>
        <source>Input preview</source>
        <translation>Vorschau der Eingabe</translation>
    </message>
    <message>
        <source>Testing</source>
        <translation>Wird getestet</translation>
    </message>
    <message>
        <source>Choose an action first.</source>
        <translation>Zuerst eine Aktion wählen.</translation>
    </message>
    <message>
        <source>With data from the run at {time}</source>
        <translation>Mit Daten aus dem Lauf: {time}</translation>
    </message>
    <message>
        <source>Uses values from steps that have no data yet</source>
        <translation>Verwendet Werte aus Schritten, die noch keine Daten haben</translation>
    </message>
    <message>
        <source>Shows the latest request</source>
        <translation>Zeigt die neueste Anfrage</translation>
    </message>
    <message>
        <source>Uses the latest event, or sample data if there was none</source>
        <translation>Verwendet das letzte Ereignis oder, wenn es keines gab, Beispieldaten</translation>
    </message>
    <message>
        <source>Uses the current time</source>
        <translation>Verwendet die aktuelle Zeit</translation>
    </message>
    <message>
        <source>Fetches the latest event</source>
        <translation>Ruft das neueste Ereignis ab</translation>
    </message>
    <message>
        <source>Nothing to test</source>
        <translation>Nichts zu testen</translation>
    </message>
    <message>
        <source>Steps can't be tested here</source>
        <translation>Schritte können hier nicht getestet werden</translation>
    </message>
    <message>
        <source>The test was skipped</source>
        <translation>Der Test wurde ausgelassen</translation>
    </message>
    <message>
        <source>Not tested yet</source>
        <translation>Noch nicht getestet</translation>
    </message>
    <message>
        <source>Not run</source>
        <comment>result of a step</comment>
        <translation>Nicht ausgeführt</translation>
    </message>
    <message>
        <source>A branch can't be tested on its own. Test the step that contains it.</source>
        <translation>Ein Zweig kann nicht für sich getestet werden. Den Schritt testen, der ihn enthält.</translation>
    </message>
    <message>
        <source>A failed step has no output.</source>
        <translation>Ein fehlgeschlagener Schritt hat keine Ausgabe.</translation>
    </message>
    <message>
        <source>No event found. Create one in the app and test again.</source>
        <translation>Kein Ereignis gefunden. In der App eines erzeugen und erneut testen.</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>The last test failed</source>
        <translation>Der letzte Test ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>Not tested since its last change</source>
        <translation>Seit der letzten Änderung nicht getestet</translation>
    </message>
    <message>
        <source>This result is from before the test that failed.</source>
        <translation>Dieses Ergebnis ist älter als der fehlgeschlagene Test.</translation>
    </message>
    <message>
        <source>This result is from before the last change.</source>
        <translation>Dieses Ergebnis ist älter als die letzte Änderung.</translation>
    </message>
    <message>
        <source>Test again before publishing.</source>
        <translation>Vor dem Veröffentlichen erneut testen.</translation>
    </message>
    <message>
        <source>Some values were missing</source>
        <translation>Einige Werte fehlten</translation>
    </message>
    <message>
        <source>Test results appear here.</source>
        <translation>Testergebnisse erscheinen hier.</translation>
    </message>
    <message>
        <source>No error.</source>
        <translation>Kein Fehler.</translation>
    </message>
    <message>
        <source>Without a sample: {values}</source>
        <translation>Ohne Beispiel: {values}</translation>
    </message>
    <message>
        <source>No data to show.</source>
        <translation>Keine Daten vorhanden.</translation>
    </message>
    <message>
        <source>The step failed.</source>
        <translation>Der Schritt ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>Deleted step</source>
        <translation>Gelöschter Schritt</translation>
    </message>
    <!-- desktop/editor/view_models/blockers.py -->
    <message>
        <source>A condition is empty. Fill it in, or remove it</source>
        <translation>Eine Bedingung ist leer. Ausfüllen oder entfernen</translation>
    </message>
    <message>
        <source>Choose a comparison for each condition</source>
        <translation>Für jede Bedingung einen Vergleich wählen</translation>
    </message>
    <message>
        <source>Uses a value from a step that was deleted, runs later, or is in another branch</source>
        <translation>Verwendet einen Wert aus einem Schritt, der gelöscht wurde, später läuft oder in einem anderen Zweig liegt</translation>
    </message>
    <message>
        <source>Choose a signing secret: the original flow only accepts signed requests</source>
        <translation>Ein Signaturgeheimnis wählen: Der ursprüngliche Ablauf nimmt nur signierte Anfragen an</translation>
    </message>
    <message>
        <source>Choose a connection: the original flow used one here</source>
        <translation>Eine Verbindung wählen: Der ursprüngliche Ablauf verwendete hier eine</translation>
    </message>
    <message>
        <source>Enter {field}</source>
        <translation>{field} eingeben</translation>
    </message>
    <message>
        <source>{task} in row {number} of {list}</source>
        <comment>Enter Name in row 2 of Items</comment>
        <translation>{list}, Zeile {number}: {task}</translation>
    </message>
    <message>
        <source>Enter a condition</source>
        <translation>Eine Bedingung eingeben</translation>
    </message>
    <message>
        <source>Choose {field}</source>
        <translation>{field} wählen</translation>
    </message>
    <message>
        <source>Its last test failed</source>
        <translation>Der letzte Test ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>Enter a condition for this branch</source>
        <translation>Eine Bedingung für diesen Zweig eingeben</translation>
    </message>
    <message>
        <source>Choose the value that the condition checks</source>
        <translation>Den Wert wählen, den die Bedingung prüft</translation>
    </message>
    <message>
        <source>Test step {number}</source>
        <translation>Schritt {number} testen</translation>
    </message>
    <message>
        <source>Go to field</source>
        <translation>Zum Feld</translation>
    </message>
    <message>
        <source>Go to step</source>
        <translation>Zum Schritt</translation>
    </message>
    <message>
        <source>Choose a list to loop over</source>
        <translation>Eine Liste für die Schleife wählen</translation>
    </message>
    <message>
        <source>Add a step to run for each item</source>
        <translation>Einen Schritt hinzufügen, der für jedes Element läuft</translation>
    </message>
    <message>
        <source>The connection to {app} was deleted. Choose another</source>
        <translation>Die Verbindung zu {app} wurde gelöscht. Eine andere wählen</translation>
    </message>
    <message>
        <source>Add a step: a flow needs a trigger and at least one action</source>
        <translation>Einen Schritt hinzufügen: Ein Ablauf braucht einen Auslöser und mindestens eine Aktion</translation>
    </message>
    <message>
        <source>Choose what starts the flow</source>
        <translation>Wählen, was den Ablauf startet</translation>
    </message>
    <message>
        <source>Choose what to do</source>
        <translation>Wählen, was geschehen soll</translation>
    </message>
    <message>
        <source>Choose a connection to {app}</source>
        <translation>Eine Verbindung zu {app} wählen</translation>
    </message>
    <message>
        <source>The {app} connection “{name}” needs reconnecting</source>
        <translation>Die {app}-Verbindung „{name}“ muss neu verbunden werden</translation>
    </message>
    <!-- desktop/editor/view_models/branches.py -->
    <message numerus="yes">
        <source>With the latest data, {branches} would run.</source>
        <extracomment>With the latest data, {branches} would run.</extracomment>
        <translation><numerusform>Mit den neuesten Daten würde {branches} laufen.</numerusform><numerusform>Mit den neuesten Daten würden {branches} laufen.</numerusform></translation>
    </message>
    <message>
        <source>{names} and {name}</source>
        <comment>names of branches</comment>
        <translation>{names} und {name}</translation>
    </message>
    <message>
        <source>The latest data doesn't match this branch.</source>
        <translation>Die neuesten Daten passen nicht zu diesem Zweig.</translation>
    </message>
    <message numerus="yes">
        <source>The latest data has {n} item.</source>
        <extracomment>The latest data has {n} items.</extracomment>
        <translation><numerusform>Die neuesten Daten enthalten {n} Element.</numerusform><numerusform>Die neuesten Daten enthalten {n} Elemente.</numerusform></translation>
    </message>
    <message>
        <source>Which branches run depends on a pattern. Test the step to check it.</source>
        <translation>Welche Zweige laufen, hängt von einem Muster ab. Zum Prüfen den Schritt testen.</translation>
    </message>
    <message>
        <source>No branch matches the latest data.</source>
        <translation>Kein Zweig passt zu den neuesten Daten.</translation>
    </message>
    <message>
        <source>Whether this branch runs depends on a pattern. Test the step that contains it.</source>
        <translation>Ob dieser Zweig läuft, hängt von einem Muster ab. Den Schritt testen, der ihn enthält.</translation>
    </message>
    <message>
        <source>The latest data matches this branch.</source>
        <translation>Die neuesten Daten passen zu diesem Zweig.</translation>
    </message>
    <message>
        <source>The latest data matches this branch, but “{name}” comes first.</source>
        <translation>Die neuesten Daten passen zu diesem Zweig, aber „{name}“ kommt zuerst.</translation>
    </message>
    <message>
        <source>There is no list yet. Choose one, or test the step it comes from.</source>
        <translation>Es gibt noch keine Liste. Eine wählen oder den Schritt testen, aus dem sie stammt.</translation>
    </message>
    <message>
        <source>The list is empty in the latest data, so the steps in the loop wouldn't run.</source>
        <translation>Die Liste ist in den neuesten Daten leer, daher würden die Schritte der Schleife nicht laufen.</translation>
    </message>
    <message>
        <source>List</source>
        <comment>label of a field</comment>
        <translation>Liste</translation>
    </message>
    <message>
        <source>A list from an earlier step</source>
        <translation>Eine Liste aus einem früheren Schritt</translation>
    </message>
    <message>
        <source>The steps in the loop run once per item, one after the other.</source>
        <translation>Die Schritte der Schleife laufen einmal je Element, eines nach dem anderen.</translation>
    </message>
    <message>
        <source>first item</source>
        <translation>erstes Element</translation>
    </message>
    <!-- desktop/editor/view_models/comparisons.py -->
    <message>
        <source>All comparisons…</source>
        <translation>Alle Vergleiche…</translation>
    </message>
    <!-- desktop/editor/view_models/editor.py -->
    <message>
        <source>Step {number}, {title}</source>
        <translation>Schritt {number}, {title}</translation>
    </message>
    <message>
        <source>Uncategorised</source>
        <translation>Ohne Ordner</translation>
    </message>
    <message>
        <source>This flow</source>
        <translation>Dieser Ablauf</translation>
    </message>
    <message>
        <source>Not published. {step}: {reason}.</source>
        <translation>Nicht veröffentlicht. {step}: {reason}.</translation>
    </message>
    <!-- desktop/editor/view_models/event_catalog.py -->
    <message>
        <source>instant</source>
        <comment>how a trigger starts</comment>
        <translation>sofort</translation>
    </message>
    <message>
        <source>schedule</source>
        <comment>how a trigger starts</comment>
        <translation>Zeitplan</translation>
    </message>
    <!-- desktop/editor/view_models/flow_settings.py -->
    <message>
        <source>Same as this computer ({zone})</source>
        <translation>Wie dieser Computer ({zone})</translation>
    </message>
    <message>
        <source>“{name}”: {setting}</source>
        <translation>„{name}“: {setting}</translation>
    </message>
    <message>
        <source>Same as the server</source>
        <translation>Wie der Server</translation>
    </message>
    <!-- desktop/editor/view_models/form.py -->
    <message>
        <source>Removed a row from “{field}”</source>
        <translation>Zeile aus „{field}“ entfernt</translation>
    </message>
    <message>
        <source>edit {field}</source>
        <comment>a change</comment>
        <translation>{field} bearbeiten</translation>
    </message>
    <message>
        <source>edit</source>
        <comment>a change</comment>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>“{value}” no longer exists.</source>
        <translation>„{value}“ gibt es nicht mehr.</translation>
    </message>
    <message>
        <source>restore row</source>
        <comment>a change</comment>
        <translation>Zeile wiederherstellen</translation>
    </message>
    <!-- desktop/editor/view_models/output_preview.py -->
    <message>
        <source>Fill in “{field}” to see the result.</source>
        <translation>„{field}“ ausfüllen, um das Ergebnis zu sehen.</translation>
    </message>
    <message>
        <source>There is nothing to show yet.</source>
        <translation>Es gibt noch nichts zu zeigen.</translation>
    </message>
    <!-- desktop/editor/view_models/publish_notes.py -->
    <message>
        <source>The text on the clipboard is stored with each execution, unless it is marked as secret</source>
        <translation>Der Text der Zwischenablage wird mit jeder Ausführung gespeichert, außer er ist als geheim markiert</translation>
    </message>
    <message>
        <source>Each run can start {program} with the rights of Patchbay</source>
        <translation>Jeder Lauf kann {program} mit den Rechten von Patchbay starten</translation>
    </message>
    <message>
        <source>Each text that you copy is stored with an execution, unless it is marked as secret</source>
        <translation>Jeder Text, den Sie kopieren, wird mit einer Ausführung gespeichert, außer er ist als geheim markiert</translation>
    </message>
    <!-- desktop/editor/view_models/publishing.py -->
    <message>
        <source>Published “{name}” as version {version}</source>
        <translation>„{name}“ als Version {version} veröffentlicht</translation>
    </message>
    <!-- desktop/editor/view_models/retry_policy.py -->
    <message>
        <source>Attempts that you set apply to every temporary error, even if the step isn't safe to repeat. The default is {attempts} if the app says how long to wait.</source>
        <translation>Hier eingestellte Versuche gelten für jeden vorübergehenden Fehler, auch wenn der Schritt nicht gefahrlos wiederholbar ist. Der Standard ist {attempts}, wenn die App angibt, wie lange zu warten ist.</translation>
    </message>
    <message numerus="yes">
        <source>Default: {n} minute</source>
        <extracomment>Default: {n} minutes</extracomment>
        <translation><numerusform>Standard: {n} Minute</numerusform><numerusform>Standard: {n} Minuten</numerusform></translation>
    </message>
    <message>
        <source>Timeout</source>
        <translation>Zeitlimit</translation>
    </message>
    <message>
        <source>seconds</source>
        <comment>after a number</comment>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>in total</source>
        <comment>after a number of attempts</comment>
        <translation>insgesamt</translation>
    </message>
    <message>
        <source>Default: {attempts} if the step is safe to repeat, otherwise 1</source>
        <translation>Standard: {attempts}, wenn der Schritt gefahrlos wiederholbar ist, sonst 1</translation>
    </message>
    <message>
        <source>First delay</source>
        <translation>Erste Wartezeit</translation>
    </message>
    <message numerus="yes">
        <source>Default: {n} second, doubled each time</source>
        <extracomment>Default: {n} seconds, doubled each time</extracomment>
        <translation><numerusform>Standard: {n} Sekunde, jedes Mal verdoppelt</numerusform><numerusform>Standard: {n} Sekunden, jedes Mal verdoppelt</numerusform></translation>
    </message>
    <message>
        <source>Continue with the next step when this one fails</source>
        <translation>Bei einem Fehler mit dem nächsten Schritt fortfahren</translation>
    </message>
    <message>
        <source>Later steps get empty values from this step.</source>
        <translation>Spätere Schritte erhalten leere Werte aus diesem Schritt.</translation>
    </message>
    <message numerus="yes">
        <source>Default: {n} minute, longer than the time limit above</source>
        <extracomment>Default: {n} minutes, longer than the time limit above</extracomment>
        <translation><numerusform>Standard: {n} Minute, länger als das Zeitlimit oben</numerusform><numerusform>Standard: {n} Minuten, länger als das Zeitlimit oben</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Default: {n} minute, without the wait</source>
        <extracomment>Default: {n} minutes, without the wait</extracomment>
        <translation><numerusform>Standard: {n} Minute, ohne die Wartezeit</numerusform><numerusform>Standard: {n} Minuten, ohne die Wartezeit</numerusform></translation>
    </message>
    <message>
        <source>Defaults</source>
        <comment>no setting was changed</comment>
        <translation>Standard</translation>
    </message>
    <message>
        <source>Enter a whole number from {minimum} to {maximum}, or leave it empty for the default.</source>
        <translation>Eine ganze Zahl von {minimum} bis {maximum} eingeben oder für den Standard leer lassen.</translation>
    </message>
    <message>
        <source>Continue with the next item when one fails</source>
        <translation>Bei einem Fehler mit dem nächsten Element fortfahren</translation>
    </message>
    <message>
        <source>Failed items are skipped. The run shows how many failed.</source>
        <translation>Fehlgeschlagene Elemente werden übersprungen. Der Lauf zeigt, wie viele fehlgeschlagen sind.</translation>
    </message>
    <message numerus="yes">
        <source>{n} attempt</source>
        <extracomment>{n} attempts</extracomment>
        <translation><numerusform>{n} Versuch</numerusform><numerusform>{n} Versuche</numerusform></translation>
    </message>
    <message>
        <source>first delay {seconds} s</source>
        <translation>erste Wartezeit {seconds} s</translation>
    </message>
    <message>
        <source>timeout {seconds} s</source>
        <translation>Zeitlimit {seconds} s</translation>
    </message>
    <message>
        <source>then continues</source>
        <comment>after: 3 attempts</comment>
        <translation>fährt dann fort</translation>
    </message>
    <!-- desktop/editor/view_models/schedule_preview.py -->
    <message>
        <source>Fill in the fields to see when the flow starts.</source>
        <translation>Die Felder ausfüllen, um zu sehen, wann der Ablauf startet.</translation>
    </message>
    <message>
        <source>Correct the fields to see when the flow starts.</source>
        <translation>Die Felder korrigieren, um zu sehen, wann der Ablauf startet.</translation>
    </message>
    <!-- desktop/editor/view_models/step_commands.py -->
    <message>
        <source>add step</source>
        <comment>a change</comment>
        <translation>Schritt hinzufügen</translation>
    </message>
    <message>
        <source>add paths</source>
        <comment>a change</comment>
        <translation>Zweige hinzufügen</translation>
    </message>
    <message>
        <source>add path</source>
        <comment>a change</comment>
        <translation>Zweig hinzufügen</translation>
    </message>
    <message>
        <source>add loop</source>
        <comment>a change</comment>
        <translation>Schleife hinzufügen</translation>
    </message>
    <message>
        <source>“{title}” deleted</source>
        <translation>„{title}“ gelöscht</translation>
    </message>
    <message>
        <source>Started the draft as a test run. See the result in Executions.</source>
        <translation>Der Entwurf wurde als Testlauf gestartet. Das Ergebnis steht unter „Ausführungen“.</translation>
    </message>
    <message>
        <source>delete step</source>
        <comment>a change</comment>
        <translation>Schritt löschen</translation>
    </message>
    <message numerus="yes">
        <source>“{title}” deleted with the {n} step in it</source>
        <extracomment>“{title}” deleted with the {n} steps in it</extracomment>
        <translation><numerusform>„{title}“ mit {n} Schritt darin gelöscht</numerusform><numerusform>„{title}“ mit {n} Schritten darin gelöscht</numerusform></translation>
    </message>
    <message>
        <source>rename flow</source>
        <comment>a change</comment>
        <translation>Ablauf umbenennen</translation>
    </message>
    <message>
        <source>change interval</source>
        <comment>a change</comment>
        <translation>Intervall ändern</translation>
    </message>
    <message>
        <source>Started version {version}. See the result in Executions.</source>
        <translation>Version {version} wurde gestartet. Das Ergebnis steht unter „Ausführungen“.</translation>
    </message>
    <message>
        <source>move step</source>
        <comment>a change</comment>
        <translation>Schritt verschieben</translation>
    </message>
    <message>
        <source>choose event</source>
        <comment>a change</comment>
        <translation>Ereignis wählen</translation>
    </message>
    <message>
        <source>choose connection</source>
        <comment>a change</comment>
        <translation>Verbindung wählen</translation>
    </message>
    <message>
        <source>rename step</source>
        <comment>a change</comment>
        <translation>Schritt umbenennen</translation>
    </message>
    <message>
        <source>change error handling</source>
        <comment>a change</comment>
        <translation>Fehlerbehandlung ändern</translation>
    </message>
    <message>
        <source>change retries</source>
        <comment>a change</comment>
        <translation>Wiederholungen ändern</translation>
    </message>
    <message>
        <source>edit conditions</source>
        <comment>a change</comment>
        <translation>Bedingungen bearbeiten</translation>
    </message>
    <message>
        <source>duplicate step</source>
        <comment>a change</comment>
        <translation>Schritt duplizieren</translation>
    </message>
    <message>
        <source>change which branches run</source>
        <comment>a change</comment>
        <translation>Auswahl der Zweige ändern</translation>
    </message>
    <message>
        <source>pause</source>
        <comment>a change</comment>
        <translation>Pausieren</translation>
    </message>
    <message>
        <source>resume</source>
        <comment>a change</comment>
        <translation>Fortsetzen</translation>
    </message>
    <!-- desktop/editor/view_models/step_labels.py -->
    <message>
        <source>Default branch</source>
        <translation>Standardzweig</translation>
    </message>
    <message>
        <source>is</source>
        <comment>comparison</comment>
        <translation>ist</translation>
    </message>
    <message>
        <source>is not</source>
        <comment>comparison</comment>
        <translation>ist nicht</translation>
    </message>
    <message>
        <source>{one} and {other}</source>
        <comment>conditions</comment>
        <translation>{one} und {other}</translation>
    </message>
    <message>
        <source>{one}, or {other}</source>
        <comment>conditions</comment>
        <translation>{one} oder {other}</translation>
    </message>
    <message>
        <source>empty</source>
        <comment>a value in a condition</comment>
        <translation>leer</translation>
    </message>
    <message>
        <source>Trigger</source>
        <comment>a kind of step</comment>
        <translation>Auslöser</translation>
    </message>
    <message>
        <source>Action</source>
        <comment>a kind of step</comment>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>signed requests only</source>
        <translation>nur mit Signatur</translation>
    </message>
    <message>
        <source>accepts unsigned requests</source>
        <translation>auch ohne Signatur</translation>
    </message>
    <message>
        <source>When no other branch matches</source>
        <translation>Wenn kein anderer Zweig passt</translation>
    </message>
    <message>
        <source>No conditions yet</source>
        <translation>Noch keine Bedingungen</translation>
    </message>
    <!-- desktop/editor/view_models/variables.py -->
    <message>
        <source>This run</source>
        <translation>Dieser Lauf</translation>
    </message>
    <message>
        <source>yes/no</source>
        <comment>a type of values</comment>
        <translation>ja/nein</translation>
    </message>
    <message>
        <source>number</source>
        <comment>a type of values</comment>
        <translation>Zahl</translation>
    </message>
    <message>
        <source>text</source>
        <comment>a type of values</comment>
        <translation>Text</translation>
    </message>
    <message>
        <source>list</source>
        <comment>a type of values</comment>
        <translation>Liste</translation>
    </message>
    <message>
        <source>empty</source>
        <comment>a type of values</comment>
        <translation>leer</translation>
    </message>
    <message>
        <source>group</source>
        <comment>a type of values</comment>
        <translation>Gruppe</translation>
    </message>
    <message numerus="yes">
        <source>{n} item</source>
        <extracomment>{n} items</extracomment>
        <translation><numerusform>{n} Element</numerusform><numerusform>{n} Elemente</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} value</source>
        <extracomment>{n} values</extracomment>
        <translation><numerusform>{n} Wert</numerusform><numerusform>{n} Werte</numerusform></translation>
    </message>
    <!-- desktop/executions/columns.py -->
    <message>
        <source>Duration</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>{name} (test)</source>
        <translation>{name} (Test)</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Flow</source>
        <translation>Ablauf</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>Gestartet</translation>
    </message>
    <message>
        <source>Result note</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Steps reached out of all steps; with a loop, the number of steps that ran</source>
        <translation>Erreichte Schritte und Gesamtzahl; bei einer Schleife die Zahl der ausgeführten Schritte</translation>
    </message>
    <!-- desktop/executions/detail.py -->
    <message>
        <source>Input</source>
        <comment>data of a step</comment>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Output</source>
        <comment>data of a step</comment>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Error</source>
        <comment>data of a step</comment>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Step data</source>
        <translation>Daten des Schritts</translation>
    </message>
    <message>
        <source>Search the data ({keys})</source>
        <translation>Daten durchsuchen ({keys})</translation>
    </message>
    <message>
        <source>Copy the data shown</source>
        <translation>Angezeigte Daten kopieren</translation>
    </message>
    <message>
        <source>Open the execution it started</source>
        <translation>Dadurch gestartete Ausführung öffnen</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message numerus="yes">
        <source>Same cause: {n} execution</source>
        <extracomment>Same cause: {n} executions</extracomment>
        <translation><numerusform>{n} mit gleicher Ursache</numerusform><numerusform>{n} mit gleicher Ursache</numerusform></translation>
    </message>
    <message>
        <source>Expand this path to see the input and output of its steps.</source>
        <translation>Diesen Zweig aufklappen, um Eingabe und Ausgabe seiner Schritte zu sehen.</translation>
    </message>
    <message>
        <source>This step is running.</source>
        <translation>Dieser Schritt läuft gerade.</translation>
    </message>
    <message>
        <source>No output.</source>
        <translation>Keine Ausgabe.</translation>
    </message>
    <message>
        <source>Reconnect {app}…</source>
        <translation>{app} neu verbinden…</translation>
    </message>
    <message>
        <source>Same cause: {n}</source>
        <translation>Gleiche Ursache: {n}</translation>
    </message>
    <message>
        <source>This branch didn't run.</source>
        <translation>Dieser Zweig wurde nicht ausgeführt.</translation>
    </message>
    <message>
        <source>This step didn't run.</source>
        <translation>Dieser Schritt wurde nicht ausgeführt.</translation>
    </message>
    <message>
        <source>Expand this item to see the input and output of its steps.</source>
        <translation>Dieses Element aufklappen, um Eingabe und Ausgabe seiner Schritte zu sehen.</translation>
    </message>
    <message>
        <source>No execution selected</source>
        <translation>Keine Ausführung ausgewählt</translation>
    </message>
    <message>
        <source>Select an execution to see its steps, data, and errors.</source>
        <translation>Eine Ausführung auswählen, um ihre Schritte, Daten und Fehler zu sehen.</translation>
    </message>
    <message>
        <source>Retry from here</source>
        <translation>Ab hier wiederholen</translation>
    </message>
    <message>
        <source>Mark as done and continue</source>
        <translation>Als erledigt markieren und fortsetzen</translation>
    </message>
    <message>
        <source>Open the flow</source>
        <translation>Ablauf öffnen</translation>
    </message>
    <!-- desktop/executions/detail_header.py -->
    <message>
        <source>Retry from failed step</source>
        <translation>Ab Fehler wiederholen</translation>
    </message>
    <message>
        <source>Run again…</source>
        <translation>Erneut ausführen…</translation>
    </message>
    <message>
        <source>Try now</source>
        <translation>Jetzt versuchen</translation>
    </message>
    <message>
        <source>Retry now. Other executions waiting for the same host or connection continue too.</source>
        <translation>Jetzt wiederholen. Andere Ausführungen, die auf denselben Server oder dieselbe Verbindung warten, werden auch fortgesetzt.</translation>
    </message>
    <message>
        <source>Retry of</source>
        <comment>followed by a link to an execution</comment>
        <translation>Wiederholung von</translation>
    </message>
    <message>
        <source>Run again from</source>
        <comment>followed by a link to an execution</comment>
        <translation>Erneuter Lauf von</translation>
    </message>
    <message>
        <source>Called by</source>
        <comment>followed by a link to an execution</comment>
        <translation>Aufgerufen von</translation>
    </message>
    <message>
        <source>Started by the failure of</source>
        <comment>followed by a link to an execution</comment>
        <translation>Gestartet durch den Fehler von</translation>
    </message>
    <message>
        <source>Retry of a deleted execution</source>
        <translation>Wiederholung einer gelöschten Ausführung</translation>
    </message>
    <message>
        <source>Run again from a deleted execution</source>
        <translation>Erneuter Lauf einer gelöschten Ausführung</translation>
    </message>
    <message>
        <source>Called by a deleted execution</source>
        <translation>Aufgerufen von einer gelöschten Ausführung</translation>
    </message>
    <message>
        <source>Started by the failure of a deleted execution</source>
        <translation>Gestartet durch den Fehler einer gelöschten Ausführung</translation>
    </message>
    <message>
        <source>Retried</source>
        <comment>followed by links to executions</comment>
        <translation>Wiederholt</translation>
    </message>
    <message>
        <source>Run again</source>
        <comment>followed by links to executions</comment>
        <translation>Erneut ausgeführt</translation>
    </message>
    <message>
        <source>Called</source>
        <comment>followed by links to executions</comment>
        <translation>Aufgerufen</translation>
    </message>
    <message>
        <source>Started on failure</source>
        <comment>followed by links to executions</comment>
        <translation>Bei Fehler gestartet</translation>
    </message>
    <message>
        <source>Open the execution of {time}, {state}</source>
        <translation>Ausführung von {time} öffnen, {state}</translation>
    </message>
    <message>
        <source>Previous execution (K)</source>
        <translation>Vorherige Ausführung (K)</translation>
    </message>
    <message>
        <source>Next execution (J)</source>
        <translation>Nächste Ausführung (J)</translation>
    </message>
    <message>
        <source>Copy as JSON</source>
        <comment>button</comment>
        <translation>Als JSON kopieren</translation>
    </message>
    <message>
        <source>More actions</source>
        <translation>Weitere Aktionen</translation>
    </message>
    <message>
        <source>Open the flow {name}</source>
        <translation>Ablauf {name} öffnen</translation>
    </message>
    <message>
        <source>Actions for this execution</source>
        <translation>Aktionen für diese Ausführung</translation>
    </message>
    <message>
        <source>test</source>
        <comment>kind of run</comment>
        <translation>Test</translation>
    </message>
    <message>
        <source>live</source>
        <comment>kind of run</comment>
        <translation>live</translation>
    </message>
    <message>
        <source>flow version {n}</source>
        <translation>Ablaufversion {n}</translation>
    </message>
    <message>
        <source>This is the first execution in the list.</source>
        <translation>Dies ist die erste Ausführung in der Liste.</translation>
    </message>
    <message>
        <source>This is the last execution in the list.</source>
        <translation>Dies ist die letzte Ausführung in der Liste.</translation>
    </message>
    <message>
        <source>Copy ID</source>
        <translation>ID kopieren</translation>
    </message>
    <message>
        <source>Show only this flow</source>
        <translation>Nur diesen Ablauf anzeigen</translation>
    </message>
    <message numerus="yes">
        <source>all {n}</source>
        <extracomment>all {n}</extracomment>
        <translation><numerusform>alle {n}</numerusform><numerusform>alle {n}</numerusform></translation>
    </message>
    <message>
        <source>Show all executions started from this one</source>
        <translation>Alle von dieser aus gestarteten Ausführungen anzeigen</translation>
    </message>
    <message>
        <source>Show executions started from this one</source>
        <translation>Von dieser aus gestartete Ausführungen anzeigen</translation>
    </message>
    <message>
        <source>Waiting for the workspace to respond.</source>
        <translation>Warten auf eine Antwort des Arbeitsbereichs.</translation>
    </message>
    <!-- desktop/executions/figures.py -->
    <message>
        <source>{n}+ new</source>
        <translation>{n}+ neu</translation>
    </message>
    <message>
        <source>{n}+ new executions, show them</source>
        <translation>über {n} neue Ausführungen, anzeigen</translation>
    </message>
    <message numerus="yes">
        <source>{n} new</source>
        <extracomment>{n} new</extracomment>
        <translation><numerusform>{n} neu</numerusform><numerusform>{n} neu</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} new execution, show it</source>
        <extracomment>{n} new executions, show them</extracomment>
        <translation><numerusform>{n} neue Ausführung, anzeigen</numerusform><numerusform>{n} neue Ausführungen, anzeigen</numerusform></translation>
    </message>
    <message>
        <source>Show the new executions</source>
        <translation>Neue Ausführungen anzeigen</translation>
    </message>
    <message>
        <source>{total}: {success} success, {failure} failure, {other} other</source>
        <translation>{total}: {success} erfolgreich, {failure} fehlgeschlagen, {other} sonstige</translation>
    </message>
    <message numerus="yes">
        <source>{matching} of {n} execution</source>
        <extracomment>{matching} of {n} executions</extracomment>
        <translation><numerusform>{matching} von {n} Ausführung</numerusform><numerusform>{matching} von {n} Ausführungen</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Retry the failed execution…</source>
        <extracomment>Retry all {n} failed…</extracomment>
        <translation><numerusform>Fehlgeschlagene Ausführung wiederholen…</numerusform><numerusform>Alle {n} fehlgeschlagenen wiederholen…</numerusform></translation>
    </message>
    <message>
        <source>Success {n}</source>
        <translation>Erfolgreich {n}</translation>
    </message>
    <message>
        <source>Failure {n}</source>
        <translation>Fehlgeschlagen {n}</translation>
    </message>
    <message>
        <source>Other {n}</source>
        <translation>Sonstige {n}</translation>
    </message>
    <!-- desktop/executions/filter_bar.py -->
    <message>
        <source>Filter executions</source>
        <translation>Ausführungen filtern</translation>
    </message>
    <message>
        <source>App</source>
        <translation>App</translation>
    </message>
    <message>
        <source>Run type</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Cause</source>
        <translation>Ursache</translation>
    </message>
    <message>
        <source>From</source>
        <comment>filter: the execution that started it</comment>
        <translation>Von</translation>
    </message>
    <message>
        <source>Retried</source>
        <comment>filter: yes or no</comment>
        <translation>Wiederholt</translation>
    </message>
    <message>
        <source>Clear</source>
        <comment>all filters</comment>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Live updates</source>
        <translation>Live-Ansicht</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Export</source>
        <comment>verb</comment>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Show all columns</source>
        <translation>Alle Spalten anzeigen</translation>
    </message>
    <message>
        <source>Export as CSV…</source>
        <translation>Als CSV exportieren…</translation>
    </message>
    <message>
        <source>Export as JSON lines…</source>
        <translation>Als JSON-Zeilen exportieren…</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>Filters by flow name or execution ID. Enter opens the only match, or searches the data of all steps.</source>
        <translation>Filtert nach Ablaufname oder Ausführungs-ID. Die Eingabetaste öffnet den einzigen Treffer oder durchsucht die Daten aller Schritte.</translation>
    </message>
    <!-- desktop/executions/progress_bars.py -->
    <message>
        <source>Each execution continues from the step that failed. Earlier steps don't run again; their output is reused. The failed executions stay in the list.</source>
        <translation>Jede Ausführung wird beim fehlgeschlagenen Schritt fortgesetzt. Frühere Schritte werden nicht noch einmal ausgeführt, ihre Ausgabe wird wiederverwendet. Die fehlgeschlagenen Ausführungen bleiben in der Liste.</translation>
    </message>
    <message>
        <source>From {flows}, and older executions.</source>
        <translation>Aus {flows}, außerdem ältere Ausführungen.</translation>
    </message>
    <message>
        <source>Retrying runs that step a second time. To decide one by one, cancel and open the executions with the note “Patchbay was stopped while …”.</source>
        <translation>Beim Wiederholen wird dieser Schritt ein zweites Mal ausgeführt. Um einzeln zu entscheiden, abbrechen und die Ausführungen mit dem Ergebnis „Patchbay was stopped while …“ öffnen.</translation>
    </message>
    <message numerus="yes">
        <source>Retry {n} failed execution?</source>
        <extracomment>Retry {n} failed executions?</extracomment>
        <translation><numerusform>{n} fehlgeschlagene Ausführung wiederholen?</numerusform><numerusform>{n} fehlgeschlagene Ausführungen wiederholen?</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Retry it</source>
        <extracomment>Retry all {n}</extracomment>
        <translation><numerusform>Wiederholen</numerusform><numerusform>Alle {n} wiederholen</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>From {flows}, and {n} other flow.</source>
        <extracomment>From {flows}, and {n} other flows.</extracomment>
        <translation><numerusform>Aus {flows} und {n} weiterem Ablauf.</numerusform><numerusform>Aus {flows} und {n} weiteren Abläufen.</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>From {flows}, and {n} other flow, and older executions.</source>
        <extracomment>From {flows}, and {n} other flows, and older executions.</extracomment>
        <translation><numerusform>Aus {flows} und {n} weiterem Ablauf sowie ältere Ausführungen.</numerusform><numerusform>Aus {flows} und {n} weiteren Abläufen sowie ältere Ausführungen.</numerusform></translation>
    </message>
    <message>
        <source>From {flows}.</source>
        <translation>Aus {flows}.</translation>
    </message>
    <message numerus="yes">
        <source>Of these, {n} execution stopped at an interrupted step that may already have finished its work.</source>
        <extracomment>Of these, {n} executions stopped at an interrupted step that may already have finished its work.</extracomment>
        <translation><numerusform>Davon endete {n} Ausführung an einem unterbrochenen Schritt, der seine Arbeit vielleicht schon getan hat.</numerusform><numerusform>Davon endeten {n} Ausführungen an einem unterbrochenen Schritt, der seine Arbeit vielleicht schon getan hat.</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Of these, at least {n} execution stopped at an interrupted step that may already have finished its work.</source>
        <extracomment>Of these, at least {n} executions stopped at an interrupted step that may already have finished its work.</extracomment>
        <translation><numerusform>Davon endete mindestens {n} Ausführung an einem unterbrochenen Schritt, der seine Arbeit vielleicht schon getan hat.</numerusform><numerusform>Davon endeten mindestens {n} Ausführungen an einem unterbrochenen Schritt, der seine Arbeit vielleicht schon getan hat.</numerusform></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Search further back</source>
        <translation>Weiter zurück suchen</translation>
    </message>
    <message>
        <source>Clear search</source>
        <translation>Suche beenden</translation>
    </message>
    <message>
        <source>Download history</source>
        <translation>Verlauf herunterladen</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>Nicht jetzt</translation>
    </message>
    <message numerus="yes">
        <source>Exported {done} of {n} execution</source>
        <extracomment>Exported {done} of {n} executions</extracomment>
        <translation><numerusform>{done} von {n} Ausführung exportiert</numerusform><numerusform>{done} von {n} Ausführungen exportiert</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} execution written to {file}.</source>
        <extracomment>{n} executions written to {file}.</extracomment>
        <translation><numerusform>{n} Ausführung in {file} geschrieben.</numerusform><numerusform>{n} Ausführungen in {file} geschrieben.</numerusform></translation>
    </message>
    <message>
        <source>Export executions</source>
        <translation>Ausführungen exportieren</translation>
    </message>
    <message numerus="yes">
        <source>Retried {done} of {total}. {n} couldn't be retried.</source>
        <extracomment>Retried {done} of {total}. {n} couldn't be retried.</extracomment>
        <translation><numerusform>{done} von {total} wiederholt. {n} konnte nicht wiederholt werden.</numerusform><numerusform>{done} von {total} wiederholt. {n} konnten nicht wiederholt werden.</numerusform></translation>
    </message>
    <message>
        <source>Retried {done} of {total}</source>
        <translation>{done} von {total} wiederholt</translation>
    </message>
    <message>
        <source>“{name}” ({n})</source>
        <translation>„{name}“ ({n})</translation>
    </message>
    <message>
        <source>Resume download</source>
        <translation>Herunterladen fortsetzen</translation>
    </message>
    <message>
        <source>There are no failed executions to retry.</source>
        <translation>Es gibt keine fehlgeschlagenen Ausführungen zu wiederholen.</translation>
    </message>
    <message>
        <source>Starting retries</source>
        <translation>Wiederholungen werden gestartet</translation>
    </message>
    <!-- desktop/executions/run_actions.py -->
    <message>
        <source>Creates a new execution that runs every step, including those that already succeeded.</source>
        <translation>Erstellt eine neue Ausführung mit allen Schritten, auch denen, die schon erfolgreich waren.</translation>
    </message>
    <message>
        <source>The steps exactly as they were when this execution ran.</source>
        <translation>Die Schritte genau so, wie sie bei dieser Ausführung waren.</translation>
    </message>
    <message>
        <source>The steps as published now, including later edits.</source>
        <translation>Die Schritte, wie sie jetzt veröffentlicht sind, mit späteren Änderungen.</translation>
    </message>
    <message>
        <source>Run “{name}” again</source>
        <translation>„{name}“ erneut ausführen</translation>
    </message>
    <message>
        <source>Reset to original</source>
        <translation>Original wiederherstellen</translation>
    </message>
    <message>
        <source>Input data</source>
        <translation>Eingabedaten</translation>
    </message>
    <message>
        <source>Flow version</source>
        <translation>Ablaufversion</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Erneut ausführen</translation>
    </message>
    <message>
        <source>The data is still loading.</source>
        <translation>Die Daten werden noch geladen.</translation>
    </message>
    <message>
        <source>Cancel “{name}”?</source>
        <translation>„{name}“ abbrechen?</translation>
    </message>
    <message>
        <source>A step is running and will be interrupted, so its outcome will be unknown. Earlier steps aren't undone, and later steps don't run.</source>
        <translation>Ein Schritt läuft gerade und wird unterbrochen; sein Ergebnis ist dann unbekannt. Frühere Schritte werden nicht rückgängig gemacht, spätere nicht ausgeführt.</translation>
    </message>
    <message>
        <source>Cancel execution</source>
        <translation>Ausführung abbrechen</translation>
    </message>
    <message>
        <source>Trigger output from {time}.</source>
        <translation>Ausgabe des Auslösers von {time}.</translation>
    </message>
    <message>
        <source>Loading the input data</source>
        <translation>Eingabedaten werden geladen</translation>
    </message>
    <message>
        <source>The data is too long to edit here and is used unchanged.</source>
        <translation>Die Daten sind zu lang, um sie hier zu bearbeiten, und werden unverändert verwendet.</translation>
    </message>
    <message>
        <source>This execution</source>
        <translation>Diese Ausführung</translation>
    </message>
    <message>
        <source>Try now instead of waiting</source>
        <translation>Jetzt versuchen statt zu warten</translation>
    </message>
    <message>
        <source>Keep running</source>
        <translation>Weiterlaufen lassen</translation>
    </message>
    <message>
        <source>The input data wasn't recorded. The workspace uses the data it has.</source>
        <translation>Die Eingabedaten wurden nicht aufgezeichnet. Der Arbeitsbereich verwendet die Daten, die er hat.</translation>
    </message>
    <!-- desktop/executions/tab.py -->
    <message>
        <source>No execution contains “{text}”.</source>
        <translation>Keine Ausführung enthält „{text}“.</translation>
    </message>
    <message>
        <source>No execution matches all the filters.</source>
        <translation>Keine Ausführung passt zu allen Filtern.</translation>
    </message>
    <message>
        <source>No flow name contains this text, or no execution matches the other filters.</source>
        <translation>Kein Ablaufname enthält diesen Text, oder keine Ausführung passt zu den anderen Filtern.</translation>
    </message>
    <message>
        <source>No matching executions</source>
        <translation>Keine passenden Ausführungen</translation>
    </message>
    <message>
        <source>Loading executions</source>
        <translation>Ausführungen werden geladen</translation>
    </message>
    <message>
        <source>Older executions haven't been searched yet.</source>
        <translation>Ältere Ausführungen wurden noch nicht durchsucht.</translation>
    </message>
    <message>
        <source>No results</source>
        <translation>Keine Treffer</translation>
    </message>
    <message>
        <source>No results so far</source>
        <translation>Bisher keine Treffer</translation>
    </message>
    <message>
        <source>Search the data instead</source>
        <translation>Stattdessen die Daten durchsuchen</translation>
    </message>
    <message>
        <source>Searching the data of executions</source>
        <translation>Daten der Ausführungen werden durchsucht</translation>
    </message>
    <message>
        <source>No executions yet</source>
        <translation>Noch keine Ausführungen</translation>
    </message>
    <message>
        <source>Every run of a flow appears here, with its steps, data, and errors.</source>
        <translation>Hier erscheint jeder Lauf eines Ablaufs mit seinen Schritten, Daten und Fehlern.</translation>
    </message>
    <message>
        <source>Go to Flows</source>
        <translation>Zu den Abläufen</translation>
    </message>
    <message>
        <source>Couldn't load the executions.</source>
        <translation>Die Ausführungen konnten nicht geladen werden.</translation>
    </message>
    <!-- desktop/executions/table.py -->
    <message>
        <source>Test</source>
        <comment>mark of a test run</comment>
        <translation>Test</translation>
    </message>
    <message>
        <source>Executions</source>
        <translation>Ausführungen</translation>
    </message>
    <message numerus="yes">
        <source>Actions for {n} execution</source>
        <extracomment>Actions for {n} executions</extracomment>
        <translation><numerusform>Aktionen für {n} Ausführung</numerusform><numerusform>Aktionen für {n} Ausführungen</numerusform></translation>
    </message>
    <message>
        <source>nothing is selected</source>
        <translation>nichts ausgewählt</translation>
    </message>
    <message>
        <source>Open</source>
        <comment>verb</comment>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Copy rows</source>
        <translation>Zeilen kopieren</translation>
    </message>
    <message>
        <source>Copy row</source>
        <translation>Zeile kopieren</translation>
    </message>
    <message>
        <source>Copy IDs</source>
        <translation>IDs kopieren</translation>
    </message>
    <!-- desktop/executions/timeline.py -->
    <message numerus="yes">
        <source>{n} attempt, waited {time}</source>
        <extracomment>{n} attempts, waited {time}</extracomment>
        <translation><numerusform>{n} Versuch, {time} gewartet</numerusform><numerusform>{n} Versuche, {time} gewartet</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} entry</source>
        <extracomment>{n} entries</extracomment>
        <translation><numerusform>{n} Eintrag</numerusform><numerusform>{n} Einträge</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} warning</source>
        <extracomment>{n} warnings</extracomment>
        <translation><numerusform>{n} Warnung</numerusform><numerusform>{n} Warnungen</numerusform></translation>
    </message>
    <message>
        <source>not run</source>
        <translation>nicht ausgeführt</translation>
    </message>
    <message>
        <source>unfolded</source>
        <translation>aufgeklappt</translation>
    </message>
    <message>
        <source>folded</source>
        <translation>zugeklappt</translation>
    </message>
    <!-- desktop/executions/view_models/detail.py -->
    <message>
        <source>in {duration}</source>
        <translation>in {duration}</translation>
    </message>
    <message>
        <source>Queued: other executions are running, or runs are paused.</source>
        <translation>In der Warteschlange: Andere Ausführungen laufen, oder die Läufe sind pausiert.</translation>
    </message>
    <message>
        <source>Waiting for the flow it called.</source>
        <translation>Wartet auf den aufgerufenen Ablauf.</translation>
    </message>
    <message>
        <source>any moment now</source>
        <translation>jeden Moment</translation>
    </message>
    <message>
        <source>Waiting.</source>
        <translation>Wartet.</translation>
    </message>
    <message>
        <source>Retries the step at {time} ({left}).</source>
        <translation>Nächster Versuch des Schritts: {time} ({left}).</translation>
    </message>
    <message>
        <source>Continues at {time} ({left}), when the rate limit allows it.</source>
        <translation>Fortsetzung: {time} ({left}), wenn die Ratenbegrenzung es erlaubt.</translation>
    </message>
    <message>
        <source>Continues at {time} ({left}), when the delay ends.</source>
        <translation>Fortsetzung: {time} ({left}), nach Ende der Verzögerung.</translation>
    </message>
    <message>
        <source>Waiting for your input, in the form or notification that the step shows.</source>
        <translation>Wartet auf Ihre Eingabe im Formular oder in der Benachrichtigung des Schritts.</translation>
    </message>
    <message>
        <source>This execution failed.</source>
        <translation>Diese Ausführung ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>the step</source>
        <comment>after: Response from</comment>
        <translation>diesem Schritt</translation>
    </message>
    <!-- desktop/executions/view_models/execution_list.py -->
    <message numerus="yes">
        <source>Searched the only execution for “{text}”: {found}</source>
        <extracomment>Searched all {n} executions for “{text}”: {found}</extracomment>
        <translation><numerusform>Die einzige Ausführung nach „{text}“ durchsucht: {found}</numerusform><numerusform>Alle {n} Ausführungen nach „{text}“ durchsucht: {found}</numerusform></translation>
    </message>
    <message>
        <source>Searching {done} of {total} executions for “{text}”, back to {time}: {found} so far</source>
        <translation>Suche nach „{text}“ läuft: {done} von {total} Ausführungen, zurück bis {time}, bisher {found}</translation>
    </message>
    <message>
        <source>Searched {done} of {total} executions for “{text}”, back to {time}: {found} so far</source>
        <translation>{done} von {total} Ausführungen nach „{text}“ durchsucht, zurück bis {time}: bisher {found}</translation>
    </message>
    <message numerus="yes">
        <source>{n} found</source>
        <extracomment>{n} found</extracomment>
        <translation><numerusform>{n} Treffer</numerusform><numerusform>{n} Treffer</numerusform></translation>
    </message>
    <message>
        <source>no results</source>
        <translation>keine Treffer</translation>
    </message>
    <message>
        <source>Searching {done} of {total} executions for “{text}”: {found} so far</source>
        <translation>Suche nach „{text}“ läuft: {done} von {total} Ausführungen, bisher {found}</translation>
    </message>
    <message>
        <source>Searched {done} of {total} executions for “{text}”: {found} so far</source>
        <translation>{done} von {total} Ausführungen nach „{text}“ durchsucht: bisher {found}</translation>
    </message>
    <message>
        <source>Searched {done} of {total} executions, {found}.</source>
        <translation>{done} von {total} Ausführungen durchsucht, {found}.</translation>
    </message>
    <!-- desktop/executions/view_models/history_copy.py -->
    <message>
        <source>This server can filter only by name, status, and time. Download its history to use all filters.</source>
        <translation>Dieser Server kann nur nach Name, Status und Zeit filtern. Für alle Filter seinen Verlauf herunterladen.</translation>
    </message>
    <message>
        <source>Downloading the history: {done} of {total} executions, back to {time}</source>
        <translation>Verlauf wird heruntergeladen: {done} von {total} Ausführungen, zurück bis {time}</translation>
    </message>
    <message>
        <source>{done} of {total} executions downloaded, back to {time}.</source>
        <translation>{done} von {total} Ausführungen heruntergeladen, zurück bis {time}.</translation>
    </message>
    <message>
        <source>{done} of {total} executions downloaded.</source>
        <translation>{done} von {total} Ausführungen heruntergeladen.</translation>
    </message>
    <message>
        <source>Downloading the history: {done} of {total} executions</source>
        <translation>Verlauf wird heruntergeladen: {done} von {total} Ausführungen</translation>
    </message>
    <message>
        <source>The download stopped.</source>
        <translation>Das Herunterladen wurde unterbrochen.</translation>
    </message>
    <message>
        <source>Filters other than name, status, and time search only these.</source>
        <translation>Andere Filter als Name, Status und Zeit durchsuchen nur diese.</translation>
    </message>
    <!-- desktop/executions/view_models/queries.py -->
    <message>
        <source>Branch {n}</source>
        <translation>Zweig {n}</translation>
    </message>
    <!-- desktop/executions/view_models/run_actions.py -->
    <message>
        <source>a comma is missing</source>
        <translation>Ein Komma fehlt</translation>
    </message>
    <message>
        <source>a colon is missing after the name</source>
        <translation>Nach dem Namen fehlt ein Doppelpunkt</translation>
    </message>
    <message>
        <source>a name in double quotes is expected</source>
        <translation>Hier gehört ein Name in doppelten Anführungszeichen hin</translation>
    </message>
    <message>
        <source>there is an extra comma</source>
        <translation>Ein Komma ist zu viel</translation>
    </message>
    <message>
        <source>a value is expected</source>
        <translation>Hier fehlt ein Wert</translation>
    </message>
    <message>
        <source>there is text after the end</source>
        <translation>Nach dem Ende steht noch Text</translation>
    </message>
    <message>
        <source>this text has no closing quotation mark</source>
        <translation>Diesem Text fehlt das schließende Anführungszeichen</translation>
    </message>
    <message>
        <source>a text continues past the end of the line</source>
        <translation>Ein Text geht über das Zeilenende hinaus</translation>
    </message>
    <message>
        <source>a backslash must be written twice</source>
        <translation>Ein umgekehrter Schrägstrich muss doppelt geschrieben werden</translation>
    </message>
    <message>
        <source>Flow version {n} (latest)</source>
        <translation>Ablaufversion {n} (neueste)</translation>
    </message>
    <message>
        <source>Flow version {n}</source>
        <translation>Ablaufversion {n}</translation>
    </message>
    <message>
        <source>{word} isn't valid JSON.</source>
        <translation>{word} ist kein gültiges JSON.</translation>
    </message>
    <message numerus="yes">
        <source>Retried {n} execution.</source>
        <extracomment>Retried {n} executions.</extracomment>
        <translation><numerusform>{n} Ausführung wiederholt.</numerusform><numerusform>{n} Ausführungen wiederholt.</numerusform></translation>
    </message>
    <message>
        <source>Retrying “{name}” from the failed step.</source>
        <translation>„{name}“ wird ab dem fehlgeschlagenen Schritt wiederholt.</translation>
    </message>
    <message>
        <source>Continuing “{name}” after the interrupted step.</source>
        <translation>„{name}“ wird nach dem unterbrochenen Schritt fortgesetzt.</translation>
    </message>
    <message>
        <source>Running “{name}” again.</source>
        <translation>„{name}“ wird erneut ausgeführt.</translation>
    </message>
    <message>
        <source>Cancelled “{name}”.</source>
        <translation>„{name}“ abgebrochen.</translation>
    </message>
    <message>
        <source>“{name}” continues now.</source>
        <translation>„{name}“ wird jetzt fortgesetzt.</translation>
    </message>
    <message>
        <source>The draft that was tested</source>
        <translation>Der getestete Entwurf</translation>
    </message>
    <message>
        <source>Version {n}, used by this execution</source>
        <translation>Version {n}, von dieser Ausführung verwendet</translation>
    </message>
    <message>
        <source>The flow as it was (latest)</source>
        <translation>Der damalige Ablauf (neueste Version)</translation>
    </message>
    <message>
        <source>The flow as it was</source>
        <translation>Der damalige Ablauf</translation>
    </message>
    <message>
        <source>Line {line}, column {column}: {problem}.</source>
        <translation>Zeile {line}, Spalte {column}: {problem}.</translation>
    </message>
    <message>
        <source>A flow can't start with null. Enter {} for an empty object.</source>
        <translation>Ein Ablauf kann nicht mit null starten. Für ein leeres Objekt {} eingeben.</translation>
    </message>
    <message numerus="yes">
        <source>{n} skipped.</source>
        <extracomment>{n} skipped.</extracomment>
        <translation><numerusform>{n} übersprungen.</numerusform><numerusform>{n} übersprungen.</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} couldn't be retried.</source>
        <extracomment>{n} couldn't be retried.</extracomment>
        <translation><numerusform>{n} konnte nicht wiederholt werden.</numerusform><numerusform>{n} konnten nicht wiederholt werden.</numerusform></translation>
    </message>
    <message>
        <source>Only executions that failed can be retried.</source>
        <translation>Nur fehlgeschlagene Ausführungen können wiederholt werden.</translation>
    </message>
    <message>
        <source>This execution has already finished.</source>
        <translation>Diese Ausführung ist schon beendet.</translation>
    </message>
    <message>
        <source>This execution isn't waiting for a retry or a rate limit.</source>
        <translation>Diese Ausführung wartet nicht auf eine Wiederholung oder eine Ratenbegrenzung.</translation>
    </message>
    <message>
        <source>Version {n}, the latest</source>
        <translation>Version {n}, die neueste</translation>
    </message>
    <message>
        <source>The data is nested too deeply.</source>
        <translation>Die Daten sind zu tief verschachtelt.</translation>
    </message>
    <!-- desktop/executions/view_models/timeline.py -->
    <message numerus="yes">
        <source>{n} item, {failed} failed</source>
        <extracomment>{n} items, {failed} failed</extracomment>
        <translation><numerusform>{n} Element, {failed} fehlgeschlagen</numerusform><numerusform>{n} Elemente, {failed} fehlgeschlagen</numerusform></translation>
    </message>
    <message>
        <source>no branch ran</source>
        <translation>kein Zweig ausgeführt</translation>
    </message>
    <message>
        <source>ran, has no steps</source>
        <translation>ausgeführt, ohne Schritte</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>übersprungen</translation>
    </message>
    <!-- desktop/flows/flow_list.py -->
    <message>
        <source>Sort by flow</source>
        <translation>Nach Ablauf sortieren</translation>
    </message>
    <message>
        <source>Sort by status</source>
        <translation>Nach Status sortieren</translation>
    </message>
    <message>
        <source>Sort by last run</source>
        <translation>Nach letztem Lauf sortieren</translation>
    </message>
    <message>
        <source>Sort by next run</source>
        <translation>Nach nächstem Lauf sortieren</translation>
    </message>
    <message>
        <source>Sorted, descending</source>
        <translation>Absteigend sortiert</translation>
    </message>
    <message>
        <source>Sorted, ascending</source>
        <translation>Aufsteigend sortiert</translation>
    </message>
    <message>
        <source>Flows</source>
        <translation>Abläufe</translation>
    </message>
    <message>
        <source>Select</source>
        <comment>verb, a flow</comment>
        <translation>Auswählen</translation>
    </message>
    <message>
        <source>Unpublish this flow</source>
        <translation>Diesen Ablauf zurückziehen</translation>
    </message>
    <message>
        <source>Publish this flow</source>
        <translation>Diesen Ablauf veröffentlichen</translation>
    </message>
    <!-- desktop/flows/flow_rows.py -->
    <message>
        <source>draft</source>
        <comment>state of a flow</comment>
        <translation>Entwurf</translation>
    </message>
    <message>
        <source>published</source>
        <comment>state of a flow</comment>
        <translation>veröffentlicht</translation>
    </message>
    <message>
        <source>paused</source>
        <comment>state of a flow</comment>
        <translation>pausiert</translation>
    </message>
    <message>
        <source>last run {state}, {detail}</source>
        <translation>letzter Lauf: {state}, {detail}</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Stoppt…</translation>
    </message>
    <message>
        <source>Publishing…</source>
        <translation>Wird veröffentlicht…</translation>
    </message>
    <message>
        <source>step {n} of {total}</source>
        <translation>Schritt {n} von {total}</translation>
    </message>
    <message>
        <source>in a moment</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>Not run</source>
        <translation>Nicht ausgeführt</translation>
    </message>
    <message>
        <source>No runs yet</source>
        <translation>Noch keine Läufe</translation>
    </message>
    <message>
        <source>When resumed</source>
        <translation>Nach Fortsetzen</translation>
    </message>
    <message>
        <source>When it happens</source>
        <translation>Bei Ereignis</translation>
    </message>
    <message>
        <source>on the desktop</source>
        <comment>below: When it happens</comment>
        <translation>auf dem Desktop</translation>
    </message>
    <message>
        <source>When called</source>
        <translation>Bei Aufruf</translation>
    </message>
    <message>
        <source>by another flow</source>
        <comment>below: When called</comment>
        <translation>durch einen Ablauf</translation>
    </message>
    <message>
        <source>On failure</source>
        <translation>Bei Fehler</translation>
    </message>
    <message>
        <source>of another flow</source>
        <comment>below: On failure</comment>
        <translation>in anderem Ablauf</translation>
    </message>
    <message>
        <source>On webhook</source>
        <translation>Per Webhook</translation>
    </message>
    <message>
        <source>on each request</source>
        <comment>below: On webhook</comment>
        <translation>bei jeder Anfrage</translation>
    </message>
    <message>
        <source>This flow hasn't run yet</source>
        <translation>Dieser Ablauf ist noch nie gelaufen</translation>
    </message>
    <message>
        <source>Last run</source>
        <translation>Letzter Lauf</translation>
    </message>
    <message>
        <source>Next run</source>
        <translation>Nächster Lauf</translation>
    </message>
    <message>
        <source>Last 20 runs</source>
        <translation>Letzte 20 Läufe</translation>
    </message>
    <message>
        <source>next run {time}</source>
        <translation>nächster Lauf: {time}</translation>
    </message>
    <!-- desktop/flows/folder_list.py -->
    <message numerus="yes">
        <source>{name}, {n} flow</source>
        <extracomment>{name}, {n} flows</extracomment>
        <translation><numerusform>{name}, {n} Ablauf</numerusform><numerusform>{name}, {n} Abläufe</numerusform></translation>
    </message>
    <message>
        <source>Folder name</source>
        <translation>Name des Ordners</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>Neuer Ordner</translation>
    </message>
    <message>
        <source>{name}, number of flows not known</source>
        <translation>{name}, Zahl der Abläufe unbekannt</translation>
    </message>
    <!-- desktop/flows/import_dialog.py -->
    <message>
        <source>Imported flows are drafts: nothing runs until you publish them.</source>
        <translation>Importierte Abläufe sind Entwürfe: Bis zur Veröffentlichung läuft nichts.</translation>
    </message>
    <message>
        <source>Import</source>
        <comment>verb, button</comment>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>Flows in the file</source>
        <translation>Abläufe in der Datei</translation>
    </message>
    <message>
        <source>Select a flow first.</source>
        <translation>Zuerst einen Ablauf auswählen.</translation>
    </message>
    <message>
        <source>None of the flows in this file can be imported.</source>
        <translation>Keiner der Abläufe in dieser Datei kann importiert werden.</translation>
    </message>
    <message>
        <source>Import flows</source>
        <translation>Abläufe importieren</translation>
    </message>
    <message>
        <source>Import flow</source>
        <translation>Ablauf importieren</translation>
    </message>
    <message>
        <source>From {file}</source>
        <translation>Aus {file}</translation>
    </message>
    <message numerus="yes">
        <source>Import {n} flow</source>
        <extracomment>Import {n} flows</extracomment>
        <translation><numerusform>{n} Ablauf importieren</numerusform><numerusform>{n} Abläufe importieren</numerusform></translation>
    </message>
    <message>
        <source>This file can't be imported</source>
        <translation>Diese Datei kann nicht importiert werden</translation>
    </message>
    <message>
        <source>This flow can't be imported</source>
        <translation>Dieser Ablauf kann nicht importiert werden</translation>
    </message>
    <message>
        <source>Already imported as “{name}”. Importing it again creates a copy.</source>
        <translation>Schon als „{name}“ importiert. Erneutes Importieren erstellt eine Kopie.</translation>
    </message>
    <!-- desktop/flows/list_actions.py -->
    <message>
        <source>Flows (*.json);;All files (*)</source>
        <comment>file dialog: keep the brackets and ;;</comment>
        <translation>Abläufe (*.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Like all flows (every failure)</source>
        <translation>Wie alle Abläufe (jeder Fehler)</translation>
    </message>
    <message>
        <source>Like all flows (first failure)</source>
        <translation>Wie alle Abläufe (erster Fehler)</translation>
    </message>
    <message>
        <source>Like all flows (never)</source>
        <translation>Wie alle Abläufe (nie)</translation>
    </message>
    <message numerus="yes">
        <source>The flow stops immediately. It has {n} execution. Its connections are kept.</source>
        <extracomment>The flow stops immediately. It has {n} executions. Its connections are kept.</extracomment>
        <translation><numerusform>Der Ablauf wird sofort gestoppt. Er hat {n} Ausführung. Seine Verbindungen bleiben erhalten.</numerusform><numerusform>Der Ablauf wird sofort gestoppt. Er hat {n} Ausführungen. Seine Verbindungen bleiben erhalten.</numerusform></translation>
    </message>
    <message>
        <source>You can undo this for 10 seconds.</source>
        <translation>Das lässt sich 10 Sekunden lang rückgängig machen.</translation>
    </message>
    <message>
        <source>Actions for {name}</source>
        <translation>Aktionen für {name}</translation>
    </message>
    <message numerus="yes">
        <source>Actions for {n} flow</source>
        <extracomment>Actions for {n} flows</extracomment>
        <translation><numerusform>Aktionen für {n} Ablauf</numerusform><numerusform>Aktionen für {n} Abläufe</numerusform></translation>
    </message>
    <message>
        <source>Move to…</source>
        <translation>Verschieben…</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren…</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>Löschen…</translation>
    </message>
    <message>
        <source>Notifications</source>
        <translation>Benachrichtigungen</translation>
    </message>
    <message>
        <source>Actions</source>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>Delete “{name}”?</source>
        <translation>„{name}“ löschen?</translation>
    </message>
    <message numerus="yes">
        <source>Delete {n} flow?</source>
        <extracomment>Delete {n} flows?</extracomment>
        <translation><numerusform>{n} Ablauf löschen?</numerusform><numerusform>{n} Abläufe löschen?</numerusform></translation>
    </message>
    <message>
        <source>Save an export first</source>
        <translation>Vorher einen Export speichern</translation>
    </message>
    <message numerus="yes">
        <source>Delete {n} flow</source>
        <extracomment>Delete {n} flows</extracomment>
        <translation><numerusform>{n} Ablauf löschen</numerusform><numerusform>{n} Abläufe löschen</numerusform></translation>
    </message>
    <message>
        <source>Delete flow</source>
        <translation>Ablauf löschen</translation>
    </message>
    <message>
        <source>Export flows</source>
        <translation>Abläufe exportieren</translation>
    </message>
    <message>
        <source>This server can't restore them.</source>
        <comment>flows</comment>
        <translation>Dieser Server kann sie nicht wiederherstellen.</translation>
    </message>
    <message>
        <source>This server can't restore it.</source>
        <comment>a flow</comment>
        <translation>Dieser Server kann ihn nicht wiederherstellen.</translation>
    </message>
    <message>
        <source>Flow settings…</source>
        <translation>Einstellungen des Ablaufs…</translation>
    </message>
    <message>
        <source>Save as template</source>
        <translation>Als Vorlage speichern</translation>
    </message>
    <message>
        <source>Publish</source>
        <translation>Veröffentlichen</translation>
    </message>
    <message>
        <source>Pause</source>
        <comment>verb, a flow</comment>
        <translation>Pausieren</translation>
    </message>
    <message>
        <source>Resume</source>
        <comment>verb, a flow</comment>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Delete folder</source>
        <translation>Ordner löschen</translation>
    </message>
    <message>
        <source>The flows stop immediately. Their connections are kept.</source>
        <translation>Die Abläufe werden sofort gestoppt. Ihre Verbindungen bleiben erhalten.</translation>
    </message>
    <message>
        <source>The flow stops immediately. Its connections are kept.</source>
        <translation>Der Ablauf wird sofort gestoppt. Seine Verbindungen bleiben erhalten.</translation>
    </message>
    <!-- desktop/flows/list_page.py -->
    <message>
        <source>Drag flows to a folder, or press M to choose one.</source>
        <translation>Abläufe in einen Ordner ziehen oder mit M einen wählen.</translation>
    </message>
    <message>
        <source>Choose a template</source>
        <translation>Vorlage auswählen</translation>
    </message>
    <message>
        <source>Import flows…</source>
        <translation>Abläufe importieren…</translation>
    </message>
    <message>
        <source>No flows yet</source>
        <translation>Noch keine Abläufe</translation>
    </message>
    <message>
        <source>A flow watches one app and acts in others: “When an issue is opened, add a task”. Build one from scratch, start with a template, or connect an app first. You can also drop an exported flow here.</source>
        <translation>Ein Ablauf beobachtet eine App und führt in anderen etwas aus: „Wenn ein Ticket eröffnet wird, eine Aufgabe anlegen“. Einen Ablauf von Grund auf erstellen, mit einer Vorlage beginnen oder zuerst eine App verbinden. Exportierte Abläufe lassen sich auch hierher ziehen.</translation>
    </message>
    <message>
        <source>Drag flows here, or create one.</source>
        <translation>Abläufe hierher ziehen oder einen erstellen.</translation>
    </message>
    <message>
        <source>You can only move flows here on the server.</source>
        <translation>Abläufe lassen sich nur auf dem Server hierher verschieben.</translation>
    </message>
    <message>
        <source>This folder is empty</source>
        <translation>Dieser Ordner ist leer</translation>
    </message>
    <message>
        <source>Loading flows</source>
        <translation>Abläufe werden geladen</translation>
    </message>
    <message>
        <source>Connect an app</source>
        <translation>App verbinden</translation>
    </message>
    <message>
        <source>No flow name contains “{text}”.</source>
        <translation>Kein Ablaufname enthält „{text}“.</translation>
    </message>
    <message>
        <source>No flow matches all the filters.</source>
        <translation>Kein Ablauf passt zu allen Filtern.</translation>
    </message>
    <message>
        <source>No matching flows</source>
        <translation>Keine passenden Abläufe</translation>
    </message>
    <message>
        <source>Not available</source>
        <translation>Nicht verfügbar</translation>
    </message>
    <message>
        <source>Nothing needs attention</source>
        <translation>Kein Handlungsbedarf</translation>
    </message>
    <message>
        <source>No known problem prevents a flow from running.</source>
        <translation>Kein bekanntes Problem hindert einen Ablauf daran zu laufen.</translation>
    </message>
    <!-- desktop/flows/list_toolbar.py -->
    <message numerus="yes">
        <source>{n} flow, {published} published, {paused} paused</source>
        <extracomment>{n} flows, {published} published, {paused} paused</extracomment>
        <translation><numerusform>{n} Ablauf, {published} veröffentlicht, {paused} pausiert</numerusform><numerusform>{n} Abläufe, {published} veröffentlicht, {paused} pausiert</numerusform></translation>
    </message>
    <message>
        <source>Filter flows</source>
        <translation>Abläufe filtern</translation>
    </message>
    <message>
        <source>Last result</source>
        <translation>Letztes Ergebnis</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importieren…</translation>
    </message>
    <message>
        <source>Empty flow</source>
        <translation>Leerer Ablauf</translation>
    </message>
    <message>
        <source>From a template…</source>
        <translation>Aus einer Vorlage…</translation>
    </message>
    <message>
        <source>Import from a file…</source>
        <translation>Aus einer Datei importieren…</translation>
    </message>
    <message numerus="yes">
        <source>{shown} of {n} flow</source>
        <extracomment>{shown} of {n} flows</extracomment>
        <translation><numerusform>{shown} von {n} Ablauf</numerusform><numerusform>{shown} von {n} Abläufen</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} flow, {published} published</source>
        <extracomment>{n} flows, {published} published</extracomment>
        <translation><numerusform>{n} Ablauf, {published} veröffentlicht</numerusform><numerusform>{n} Abläufe, {published} veröffentlicht</numerusform></translation>
    </message>
    <message>
        <source>Clear selection</source>
        <translation>Auswahl aufheben</translation>
    </message>
    <message numerus="yes">
        <source>{n} selected</source>
        <comment>flows</comment>
        <extracomment>{n} selected</extracomment>
        <translation><numerusform>{n} ausgewählt</numerusform><numerusform>{n} ausgewählt</numerusform></translation>
    </message>
    <message>
        <source>All selected flows are already published.</source>
        <translation>Alle ausgewählten Abläufe sind schon veröffentlicht.</translation>
    </message>
    <message>
        <source>None of the selected flows are published.</source>
        <translation>Keiner der ausgewählten Abläufe ist veröffentlicht.</translation>
    </message>
    <message>
        <source>selected</source>
        <comment>a connection, as a filter</comment>
        <translation>ausgewählt</translation>
    </message>
    <message>
        <source>Select one flow to open it.</source>
        <translation>Zum Öffnen einen einzelnen Ablauf auswählen.</translation>
    </message>
    <!-- desktop/flows/view_models/commands.py -->
    <message>
        <source>“{name}” published</source>
        <translation>„{name}“ veröffentlicht</translation>
    </message>
    <message numerus="yes">
        <source>{n} flow published</source>
        <extracomment>{n} flows published</extracomment>
        <translation><numerusform>{n} Ablauf veröffentlicht</numerusform><numerusform>{n} Abläufe veröffentlicht</numerusform></translation>
    </message>
    <message>
        <source>“{name}” unpublished</source>
        <translation>„{name}“ zurückgezogen</translation>
    </message>
    <message numerus="yes">
        <source>{n} flow unpublished</source>
        <extracomment>{n} flows unpublished</extracomment>
        <translation><numerusform>{n} Ablauf zurückgezogen</numerusform><numerusform>{n} Abläufe zurückgezogen</numerusform></translation>
    </message>
    <message>
        <source>“{name}” paused</source>
        <translation>„{name}“ pausiert</translation>
    </message>
    <message numerus="yes">
        <source>{n} flow paused</source>
        <extracomment>{n} flows paused</extracomment>
        <translation><numerusform>{n} Ablauf pausiert</numerusform><numerusform>{n} Abläufe pausiert</numerusform></translation>
    </message>
    <message>
        <source>“{name}” resumed</source>
        <translation>„{name}“ fortgesetzt</translation>
    </message>
    <message numerus="yes">
        <source>{n} flow resumed</source>
        <extracomment>{n} flows resumed</extracomment>
        <translation><numerusform>{n} Ablauf fortgesetzt</numerusform><numerusform>{n} Abläufe fortgesetzt</numerusform></translation>
    </message>
    <message>
        <source>“{name}” duplicated</source>
        <translation>„{name}“ dupliziert</translation>
    </message>
    <message numerus="yes">
        <source>{n} flow duplicated</source>
        <extracomment>{n} flows duplicated</extracomment>
        <translation><numerusform>{n} Ablauf dupliziert</numerusform><numerusform>{n} Abläufe dupliziert</numerusform></translation>
    </message>
    <message>
        <source>“{name}” deleted</source>
        <translation>„{name}“ gelöscht</translation>
    </message>
    <message numerus="yes">
        <source>{n} flow deleted</source>
        <extracomment>{n} flows deleted</extracomment>
        <translation><numerusform>{n} Ablauf gelöscht</numerusform><numerusform>{n} Abläufe gelöscht</numerusform></translation>
    </message>
    <message>
        <source>“{name}” moved to {folder}</source>
        <translation>„{name}“ nach „{folder}“ verschoben</translation>
    </message>
    <message numerus="yes">
        <source>{n} flow moved to {folder}</source>
        <extracomment>{n} flows moved to {folder}</extracomment>
        <translation><numerusform>{n} Ablauf nach „{folder}“ verschoben</numerusform><numerusform>{n} Abläufe nach „{folder}“ verschoben</numerusform></translation>
    </message>
    <message>
        <source>“{name}” started</source>
        <translation>„{name}“ gestartet</translation>
    </message>
    <message>
        <source>The flow started</source>
        <translation>Ablauf gestartet</translation>
    </message>
    <message>
        <source>Renamed to “{name}”</source>
        <translation>In „{name}“ umbenannt</translation>
    </message>
    <message numerus="yes">
        <source>{done}, {n} failed.</source>
        <extracomment>{done}, {n} failed.</extracomment>
        <translation><numerusform>{done}, {n} fehlgeschlagen.</numerusform><numerusform>{done}, {n} fehlgeschlagen.</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Restored “{name}” as a draft: it was paused or had unpublished edits.</source>
        <extracomment>Restored {n} flows as drafts: they were paused or had unpublished edits.</extracomment>
        <translation><numerusform>„{name}“ als Entwurf wiederhergestellt: Der Ablauf war pausiert oder hatte unveröffentlichte Änderungen.</numerusform><numerusform>{n} Abläufe als Entwürfe wiederhergestellt: Sie waren pausiert oder hatten unveröffentlichte Änderungen.</numerusform></translation>
    </message>
    <message>
        <source>Saved “{name}” as a template</source>
        <translation>„{name}“ als Vorlage gespeichert</translation>
    </message>
    <!-- desktop/flows/view_models/flow_list.py -->
    <message>
        <source>incomplete: needs an action</source>
        <comment>a flow</comment>
        <translation>unvollständig: braucht eine Aktion</translation>
    </message>
    <message numerus="yes">
        <source>{n} incomplete step</source>
        <extracomment>{n} incomplete steps</extracomment>
        <translation><numerusform>{n} unvollständiger Schritt</numerusform><numerusform>{n} unvollständige Schritte</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} step not tested</source>
        <extracomment>{n} steps not tested</extracomment>
        <translation><numerusform>{n} Schritt nicht getestet</numerusform><numerusform>{n} Schritte nicht getestet</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} failed test</source>
        <extracomment>{n} failed tests</extracomment>
        <translation><numerusform>{n} fehlgeschlagener Test</numerusform><numerusform>{n} fehlgeschlagene Tests</numerusform></translation>
    </message>
    <message>
        <source>unpublished edits</source>
        <translation>unveröffentlichte Änderungen</translation>
    </message>
    <!-- desktop/flows/view_models/folders.py -->
    <message>
        <source>All flows</source>
        <translation>Alle Abläufe</translation>
    </message>
    <message>
        <source>Needs attention</source>
        <translation>Handlungsbedarf</translation>
    </message>
    <message>
        <source>Folder renamed to “{name}”</source>
        <translation>Ordner in „{name}“ umbenannt</translation>
    </message>
    <message numerus="yes">
        <source>Folder “{name}” deleted, {n} flow moved to Uncategorised</source>
        <extracomment>Folder “{name}” deleted, {n} flows moved to Uncategorised</extracomment>
        <translation><numerusform>Ordner „{name}“ gelöscht, {n} Ablauf jetzt ohne Ordner</numerusform><numerusform>Ordner „{name}“ gelöscht, {n} Abläufe jetzt ohne Ordner</numerusform></translation>
    </message>
    <message>
        <source>Folder “{name}” deleted</source>
        <translation>Ordner „{name}“ gelöscht</translation>
    </message>
    <!-- desktop/flows/view_models/import_export.py -->
    <message>
        <source>Unknown entry</source>
        <translation>Unbekannter Eintrag</translation>
    </message>
    <message>
        <source>The flow has no steps.</source>
        <translation>Der Ablauf hat keine Schritte.</translation>
    </message>
    <message>
        <source>The first step must be a trigger.</source>
        <translation>Der erste Schritt muss ein Auslöser sein.</translation>
    </message>
    <message>
        <source>Only the first step may be a trigger.</source>
        <translation>Nur der erste Schritt darf ein Auslöser sein.</translation>
    </message>
    <message>
        <source>Contains other steps</source>
        <translation>Enthält andere Schritte</translation>
    </message>
    <message>
        <source>The app “{app}” isn't installed</source>
        <translation>Die App „{app}“ ist nicht installiert</translation>
    </message>
    <message>
        <source>No app selected</source>
        <translation>Keine App ausgewählt</translation>
    </message>
    <message>
        <source>After the import, choose a connection for {apps}.</source>
        <translation>Nach dem Import eine Verbindung für {apps} wählen.</translation>
    </message>
    <message>
        <source>Its webhook only accepts signed requests. After the import, choose a signing secret.</source>
        <translation>Sein Webhook nimmt nur signierte Anfragen an. Nach dem Import ein Signaturgeheimnis wählen.</translation>
    </message>
    <message>
        <source>The file may contain a secret in {places}.</source>
        <translation>Die Datei enthält vielleicht ein Geheimnis in {places}.</translation>
    </message>
    <message numerus="yes">
        <source>{n} flow imported as a draft</source>
        <extracomment>{n} flows imported as drafts</extracomment>
        <translation><numerusform>{n} Ablauf als Entwurf importiert</numerusform><numerusform>{n} Abläufe als Entwürfe importiert</numerusform></translation>
    </message>
    <message>
        <source>The file contains no flows.</source>
        <translation>Die Datei enthält keine Abläufe.</translation>
    </message>
    <message>
        <source>Unnamed flow</source>
        <translation>Unbenannter Ablauf</translation>
    </message>
    <message>
        <source>This isn't an exported flow: it has no steps.</source>
        <translation>Das ist kein exportierter Ablauf: Er hat keine Schritte.</translation>
    </message>
    <message numerus="yes">
        <source>{n} flow saved to {file}</source>
        <extracomment>{n} flows saved to {file}</extracomment>
        <translation><numerusform>{n} Ablauf in {file} gespeichert</numerusform><numerusform>{n} Abläufe in {file} gespeichert</numerusform></translation>
    </message>
    <message>
        <source>This isn't valid JSON: {problem}.</source>
        <translation>Das ist kein gültiges JSON: {problem}.</translation>
    </message>
    <message>
        <source>Couldn't read flows from this file: {problem}.</source>
        <translation>Aus dieser Datei konnten keine Abläufe gelesen werden: {problem}.</translation>
    </message>
    <message>
        <source>At {place}: {problem}</source>
        <translation>Bei {place}: {problem}</translation>
    </message>
    <message>
        <source>Couldn't write {file}.</source>
        <translation>{file} konnte nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>This isn't a file.</source>
        <translation>Das ist keine Datei.</translation>
    </message>
    <message>
        <source>The file is larger than 20 MB, which is too large for exported flows.</source>
        <translation>Die Datei ist größer als 20 MB und damit zu groß für exportierte Abläufe.</translation>
    </message>
    <message>
        <source>This isn't a text file, so it can't be an exported flow.</source>
        <translation>Das ist keine Textdatei, also kann es kein exportierter Ablauf sein.</translation>
    </message>
    <message>
        <source>Couldn't read the file: {problem}.</source>
        <translation>Die Datei konnte nicht gelesen werden: {problem}.</translation>
    </message>
    <message>
        <source>the flow</source>
        <translation>Ablauf</translation>
    </message>
    <!-- desktop/folders/detail.py -->
    <message numerus="yes">
        <source>{n} run, {failed} failed</source>
        <extracomment>{n} runs, {failed} failed</extracomment>
        <translation><numerusform>{n} Lauf, {failed} fehlgeschlagen</numerusform><numerusform>{n} Läufe, {failed} fehlgeschlagen</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} run in {days} days, {failed} failed</source>
        <extracomment>{n} runs in {days} days, {failed} failed</extracomment>
        <translation><numerusform>{n} Lauf in {days} Tagen, {failed} fehlgeschlagen</numerusform><numerusform>{n} Läufe in {days} Tagen, {failed} fehlgeschlagen</numerusform></translation>
    </message>
    <message>
        <source>created {date} by {name}</source>
        <comment>a folder</comment>
        <translation>erstellt {date} von {name}</translation>
    </message>
    <message>
        <source>created {date}</source>
        <comment>a folder</comment>
        <translation>erstellt {date}</translation>
    </message>
    <message>
        <source>{flow}, last run: {state}</source>
        <translation>{flow}, letzter Lauf: {state}</translation>
    </message>
    <message>
        <source>Flows in this folder</source>
        <translation>Abläufe in diesem Ordner</translation>
    </message>
    <message>
        <source>Open in Flows</source>
        <translation>In Abläufen öffnen</translation>
    </message>
    <message>
        <source>Runs, last 14 days</source>
        <translation>Läufe, letzte 14 Tage</translation>
    </message>
    <message>
        <source>Show failed executions in this folder</source>
        <translation>Fehlgeschlagene Ausführungen</translation>
    </message>
    <message>
        <source>Add flows…</source>
        <translation>Abläufe hinzufügen…</translation>
    </message>
    <message>
        <source>No flows in this folder yet.</source>
        <translation>Noch keine Abläufe in diesem Ordner.</translation>
    </message>
    <message>
        <source>these flows aren't in a folder</source>
        <translation>diese Abläufe sind in keinem Ordner</translation>
    </message>
    <message>
        <source>No failed runs.</source>
        <translation>Keine fehlgeschlagenen Läufe.</translation>
    </message>
    <!-- desktop/folders/tab.py -->
    <message>
        <source>Filter folders</source>
        <translation>Ordner filtern</translation>
    </message>
    <message>
        <source>Deleting a folder doesn't delete its flows. They move to Uncategorised and keep running.</source>
        <translation>Beim Löschen eines Ordners werden seine Abläufe nicht gelöscht. Sie sind dann ohne Ordner und laufen weiter.</translation>
    </message>
    <message>
        <source>Loading folders</source>
        <translation>Ordner werden geladen</translation>
    </message>
    <message>
        <source>Rename (F2)</source>
        <translation>Umbenennen (F2)</translation>
    </message>
    <message>
        <source>Select one of your folders first.</source>
        <translation>Zuerst einen eigenen Ordner auswählen.</translation>
    </message>
    <message>
        <source>No matching folders</source>
        <translation>Keine passenden Ordner</translation>
    </message>
    <message>
        <source>No folder name contains this text.</source>
        <translation>Kein Ordnername enthält diesen Text.</translation>
    </message>
    <message>
        <source>No folders yet</source>
        <translation>Noch keine Ordner</translation>
    </message>
    <message>
        <source>Group related flows. Each folder has its own statistics.</source>
        <translation>Zusammengehörige Abläufe zusammenfassen. Jeder Ordner hat eigene Statistiken.</translation>
    </message>
    <!-- desktop/folders/table.py -->
    <message>
        <source>Published</source>
        <comment>column: number of flows</comment>
        <translation>Veröffentlicht</translation>
    </message>
    <message>
        <source>Drafts</source>
        <translation>Entwürfe</translation>
    </message>
    <message>
        <source>Runs, 7 days</source>
        <translation>Läufe, 7 Tage</translation>
    </message>
    <message>
        <source>Success</source>
        <comment>column: share of successful runs</comment>
        <translation>Erfolg</translation>
    </message>
    <message>
        <source>{n}%</source>
        <translation>{n} %</translation>
    </message>
    <message>
        <source>Folders are sorted by name.</source>
        <translation>Ordner sind nach Namen sortiert.</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <!-- desktop/folders/view_models/folders.py -->
    <message numerus="yes">
        <source>Folder “{name}” deleted, {n} flow moved to Uncategorised.</source>
        <extracomment>Folder “{name}” deleted, {n} flows moved to Uncategorised.</extracomment>
        <translation><numerusform>Ordner „{name}“ gelöscht, {n} Ablauf jetzt ohne Ordner.</numerusform><numerusform>Ordner „{name}“ gelöscht, {n} Abläufe jetzt ohne Ordner.</numerusform></translation>
    </message>
    <message>
        <source>Folder “{name}” deleted.</source>
        <translation>Ordner „{name}“ gelöscht.</translation>
    </message>
    <message numerus="yes">
        <source>{n} flow moved.</source>
        <extracomment>{n} flows moved.</extracomment>
        <translation><numerusform>{n} Ablauf verschoben.</numerusform><numerusform>{n} Abläufe verschoben.</numerusform></translation>
    </message>
    <message>
        <source>Renamed “{old}” to “{new}”.</source>
        <translation>„{old}“ in „{new}“ umbenannt.</translation>
    </message>
    <!-- desktop/kit/buttons.py -->
    <message>
        <source>Down opens more choices</source>
        <comment>the key ↓</comment>
        <translation>Pfeil nach unten öffnet weitere Optionen</translation>
    </message>
    <!-- desktop/kit/certificate_box.py -->
    <message>
        <source>Ask the server's administrator for its fingerprint, for example by phone. Connect only if every digit matches.</source>
        <translation>Den Fingerabdruck beim Administrator des Servers erfragen, zum Beispiel am Telefon. Nur verbinden, wenn jede Stelle übereinstimmt.</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Trusted fingerprint (SHA-256)</source>
        <translation>Vertrauenswürdiger Fingerabdruck (SHA-256)</translation>
    </message>
    <message>
        <source>Issued to: {name}</source>
        <translation>Ausgestellt für: {name}</translation>
    </message>
    <message>
        <source>Issued by: itself</source>
        <comment>a certificate</comment>
        <translation>Selbst signiert</translation>
    </message>
    <message>
        <source>Valid: {start} to {end}</source>
        <translation>Gültig: {start} bis {end}</translation>
    </message>
    <message>
        <source>Copy trusted fingerprint</source>
        <translation>Vertrauten Fingerabdruck kopieren</translation>
    </message>
    <message>
        <source>Copy fingerprint</source>
        <translation>Fingerabdruck kopieren</translation>
    </message>
    <message>
        <source>Trusted fingerprint {digits}</source>
        <translation>Vertrauenswürdiger Fingerabdruck {digits}</translation>
    </message>
    <message>
        <source>Fingerprint {digits}</source>
        <translation>Fingerabdruck {digits}</translation>
    </message>
    <message>
        <source>Server's current fingerprint (SHA-256)</source>
        <translation>Aktueller Fingerabdruck des Servers (SHA-256)</translation>
    </message>
    <message>
        <source>Fingerprint (SHA-256)</source>
        <translation>Fingerabdruck (SHA-256)</translation>
    </message>
    <message>
        <source>Issued by: {name}</source>
        <translation>Ausgestellt von: {name}</translation>
    </message>
    <message>
        <source>Trust only this certificate</source>
        <translation>Nur diesem Zertifikat vertrauen</translation>
    </message>
    <!-- desktop/kit/charts.py -->
    <message numerus="yes">
        <source>Last {n} run: {failed} failed</source>
        <extracomment>Last {n} runs: {failed} failed</extracomment>
        <translation><numerusform>Letzter Lauf: {failed} fehlgeschlagen</numerusform><numerusform>Letzte {n} Läufe: {failed} fehlgeschlagen</numerusform></translation>
    </message>
    <message>
        <source>{start} to {end}: {counts}</source>
        <translation>{start} bis {end}: {counts}</translation>
    </message>
    <message>
        <source>Executions over time: {counts}</source>
        <translation>Ausführungen im Zeitverlauf: {counts}</translation>
    </message>
    <message>
        <source>none</source>
        <comment>no executions</comment>
        <translation>keine</translation>
    </message>
    <message>
        <source>Executions over time: {counts}. Chosen: {start} to {end}</source>
        <translation>Ausführungen im Zeitverlauf: {counts}. Ausgewählt: {start} bis {end}</translation>
    </message>
    <message>
        <source>Left and right move a handle, space changes the handle, Esc clears.</source>
        <translation>Links und rechts bewegen einen Griff, die Leertaste wechselt den Griff, Esc löscht die Auswahl.</translation>
    </message>
    <message numerus="yes">
        <source>{n} success</source>
        <comment>of executions</comment>
        <extracomment>{n} success</extracomment>
        <translation><numerusform>{n} erfolgreich</numerusform><numerusform>{n} erfolgreich</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} failure</source>
        <comment>of executions</comment>
        <extracomment>{n} failure</extracomment>
        <translation><numerusform>{n} fehlgeschlagen</numerusform><numerusform>{n} fehlgeschlagen</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} other</source>
        <comment>executions</comment>
        <extracomment>{n} other</extracomment>
        <translation><numerusform>{n} andere</numerusform><numerusform>{n} andere</numerusform></translation>
    </message>
    <!-- desktop/kit/chips.py -->
    <message>
        <source>No options yet</source>
        <translation>Noch keine Auswahl</translation>
    </message>
    <message>
        <source>Any</source>
        <comment>no filter</comment>
        <translation>Beliebig</translation>
    </message>
    <message numerus="yes">
        <source>{first} and {n} more</source>
        <extracomment>{first} and {n} more</extracomment>
        <translation><numerusform>{first} und {n} weiterer Wert</numerusform><numerusform>{first} und {n} weitere</numerusform></translation>
    </message>
    <message>
        <source>Filter by {label}</source>
        <translation>Filtern nach {label}</translation>
    </message>
    <message>
        <source>{label}: {value}. Delete clears it.</source>
        <translation>{label}: {value}. Entf löscht den Filter.</translation>
    </message>
    <message>
        <source>{label}: {value}</source>
        <translation>{label}: {value}</translation>
    </message>
    <!-- desktop/kit/inputs.py -->
    <message>
        <source>required</source>
        <comment>a field that has to be filled in</comment>
        <translation>erforderlich</translation>
    </message>
    <!-- desktop/kit/json_view.py -->
    <message>
        <source>Whole text</source>
        <translation>Ganzer Text</translation>
    </message>
    <message>
        <source>Copy value</source>
        <translation>Wert kopieren</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>Pfad kopieren</translation>
    </message>
    <message>
        <source>Previous hit</source>
        <translation>Voriger Treffer</translation>
    </message>
    <message>
        <source>Next hit</source>
        <translation>Nächster Treffer</translation>
    </message>
    <message>
        <source>{at} of {total}</source>
        <comment>a hit</comment>
        <translation>{at} von {total}</translation>
    </message>
    <message>
        <source>There is no other hit.</source>
        <translation>Es gibt keinen weiteren Treffer.</translation>
    </message>
    <message>
        <source>There is no hit.</source>
        <translation>Es gibt keinen Treffer.</translation>
    </message>
    <message>
        <source>Use as value</source>
        <translation>Als Wert verwenden</translation>
    </message>
    <message>
        <source>Show whole text</source>
        <translation>Ganzen Text anzeigen</translation>
    </message>
    <message>
        <source>no hit</source>
        <translation>kein Treffer</translation>
    </message>
    <!-- desktop/kit/layout.py -->
    <message>
        <source>Form</source>
        <translation>Formular</translation>
    </message>
    <!-- desktop/kit/line_edit.py -->
    <message>
        <source>Edit</source>
        <comment>menu of a text field</comment>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <!-- desktop/kit/list_states.py -->
    <message>
        <source>No matches</source>
        <translation>Keine Treffer</translation>
    </message>
    <message>
        <source>No entry matches all filters.</source>
        <translation>Kein Eintrag passt zu allen Filtern.</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>Wird geladen</translation>
    </message>
    <message>
        <source>Clear filters</source>
        <translation>Filter löschen</translation>
    </message>
    <!-- desktop/kit/marks.py -->
    <message>
        <source>Not run</source>
        <comment>state of a step</comment>
        <translation>Nicht ausgeführt</translation>
    </message>
    <message>
        <source>Draft</source>
        <comment>state of a flow</comment>
        <translation>Entwurf</translation>
    </message>
    <message>
        <source>Published</source>
        <comment>state of a flow</comment>
        <translation>Veröffentlicht</translation>
    </message>
    <message>
        <source>Paused</source>
        <comment>state of a flow</comment>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>Valid</source>
        <comment>state of a connection</comment>
        <translation>Gültig</translation>
    </message>
    <message>
        <source>Needs attention</source>
        <comment>state of a connection</comment>
        <translation>Handlungsbedarf</translation>
    </message>
    <message>
        <source>Expires soon</source>
        <comment>state of a connection</comment>
        <translation>Läuft bald ab</translation>
    </message>
    <message>
        <source>Never tested</source>
        <comment>state of a connection</comment>
        <translation>Nie getestet</translation>
    </message>
    <!-- desktop/kit/messages.py -->
    <message>
        <source>Dismiss</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Anzeigen</translation>
    </message>
    <!-- desktop/kit/popups.py -->
    <message>
        <source>Choices</source>
        <translation>Auswahl</translation>
    </message>
    <!-- desktop/kit/progress_bar.py -->
    <message>
        <source>CSV, raw values (may run as formulas) (*.csv)</source>
        <translation>CSV, Rohwerte (können als Formeln ausgeführt werden) (*.csv)</translation>
    </message>
    <message>
        <source>JSON lines (*.jsonl)</source>
        <translation>JSON-Zeilen (*.jsonl)</translation>
    </message>
    <message>
        <source>Exporting to {file}</source>
        <translation>Export nach {file}</translation>
    </message>
    <!-- desktop/kit/rate_limit_dialogs.py -->
    <message>
        <source>Steps over the limit wait; they don't fail.</source>
        <translation>Schritte über der Grenze warten, sie schlagen nicht fehl.</translation>
    </message>
    <message>
        <source>Requests aren't limited.</source>
        <translation>Anfragen sind nicht begrenzt.</translation>
    </message>
    <message>
        <source>Calls</source>
        <comment>number of requests</comment>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>Time</source>
        <comment>unit of a rate limit</comment>
        <translation>Zeitspanne</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>seconds</source>
        <comment>after a number field</comment>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>Rate limit for “{connection}”</source>
        <translation>Ratenbegrenzung für „{connection}“</translation>
    </message>
    <message>
        <source>Max. requests</source>
        <translation>Max. Anfragen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>{app} is limited to {limit} overall.</source>
        <translation>Für {app} gilt insgesamt: {limit}.</translation>
    </message>
    <message>
        <source>Add rate limit</source>
        <translation>Ratenbegrenzung hinzufügen</translation>
    </message>
    <message>
        <source>Rate limit for {app}</source>
        <translation>Ratenbegrenzung für {app}</translation>
    </message>
    <message>
        <source>per</source>
        <comment>requests per second</comment>
        <translation>pro</translation>
    </message>
    <message>
        <source>No separate limit</source>
        <translation>Keine eigene Begrenzung</translation>
    </message>
    <message>
        <source>Limit for all flows together</source>
        <translation>Begrenzung für alle Abläufe zusammen</translation>
    </message>
    <message>
        <source>For all its connections together. Steps over the limit wait; they don't fail.</source>
        <translation>Für alle ihre Verbindungen zusammen. Schritte über der Grenze warten, sie schlagen nicht fehl.</translation>
    </message>
    <message>
        <source>Other</source>
        <comment>time span</comment>
        <translation>Andere</translation>
    </message>
    <!-- desktop/kit/secret_fields.py -->
    <message>
        <source>Press {key} to show it for 10 seconds.</source>
        <translation>{key} drücken, um es 10 Sekunden lang anzuzeigen.</translation>
    </message>
    <message>
        <source>Show for 10 seconds</source>
        <translation>10 Sekunden lang anzeigen</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>Verbergen</translation>
    </message>
    <message>
        <source>Copy {name}</source>
        <translation>{name} kopieren</translation>
    </message>
    <!-- desktop/kit/shortcuts.py -->
    <message>
        <source>Open the selected entry</source>
        <translation>Ausgewählten Eintrag öffnen</translation>
    </message>
    <message>
        <source>Move to a folder</source>
        <translation>In einen Ordner verschieben</translation>
    </message>
    <message>
        <source>Delete, with undo</source>
        <translation>Löschen (lässt sich rückgängig machen)</translation>
    </message>
    <message>
        <source>Next and previous execution</source>
        <translation>Nächste und vorige Ausführung</translation>
    </message>
    <message>
        <source>Retry an execution from its failed step</source>
        <translation>Ausführung ab dem fehlgeschlagenen Schritt wiederholen</translation>
    </message>
    <message>
        <source>Run an execution again</source>
        <translation>Ausführung erneut starten</translation>
    </message>
    <message>
        <source>Expand or collapse in a timeline</source>
        <translation>In einer Zeitleiste auf- oder zuklappen</translation>
    </message>
    <message>
        <source>Show or hide a secret</source>
        <translation>Geheimnis anzeigen oder verbergen</translation>
    </message>
    <message>
        <source>Clear the selection or close the topmost popup</source>
        <translation>Auswahl aufheben oder oberstes Fenster schließen</translation>
    </message>
    <message>
        <source>Test the step</source>
        <translation>Schritt testen</translation>
    </message>
    <message>
        <source>Add a step</source>
        <translation>Schritt hinzufügen</translation>
    </message>
    <message>
        <source>Move the step up or down</source>
        <translation>Schritt nach oben oder unten verschieben</translation>
    </message>
    <message>
        <source>Duplicate the step</source>
        <translation>Schritt duplizieren</translation>
    </message>
    <message>
        <source>Delete the step, with undo</source>
        <translation>Schritt löschen (lässt sich rückgängig machen)</translation>
    </message>
    <message>
        <source>Insert a variable</source>
        <translation>Variable einfügen</translation>
    </message>
    <message>
        <source>Set a fallback value</source>
        <translation>Ersatzwert festlegen</translation>
    </message>
    <!-- desktop/kit/vault_dialogs.py -->
    <message>
        <source>Credentials are encrypted with a passphrase that you choose now. Patchbay asks for it at every start. It can't be recovered: if you forget it, you have to reconnect every connection.</source>
        <translation>Zugangsdaten werden mit einer Passphrase verschlüsselt, die jetzt gewählt wird. Patchbay fragt bei jedem Start danach. Sie lässt sich nicht wiederherstellen: Ist sie vergessen, muss jede Verbindung neu verbunden werden.</translation>
    </message>
    <message>
        <source>Connections wait until you enter the passphrase of the vault that stores their credentials. Flows without connections run meanwhile.</source>
        <translation>Verbindungen warten, bis die Passphrase des Tresors mit ihren Zugangsdaten eingegeben ist. Abläufe ohne Verbindungen laufen unterdessen.</translation>
    </message>
    <message>
        <source>Passphrase</source>
        <translation>Passphrase</translation>
    </message>
    <message>
        <source>Create a passphrase vault</source>
        <translation>Passphrasentresor anlegen</translation>
    </message>
    <message numerus="yes">
        <source>At least {n} character.</source>
        <extracomment>At least {n} characters.</extracomment>
        <translation><numerusform>Mindestens {n} Zeichen.</numerusform><numerusform>Mindestens {n} Zeichen.</numerusform></translation>
    </message>
    <message>
        <source>Repeat passphrase</source>
        <translation>Passphrase wiederholen</translation>
    </message>
    <message>
        <source>Create vault</source>
        <translation>Tresor anlegen</translation>
    </message>
    <message>
        <source>Unlock the passphrase vault</source>
        <translation>Passphrasentresor entsperren</translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation>Entsperren</translation>
    </message>
    <message>
        <source>This passphrase is wrong. Try again.</source>
        <translation>Diese Passphrase ist falsch. Erneut versuchen.</translation>
    </message>
    <message>
        <source>The passphrase is too short.</source>
        <translation>Die Passphrase ist zu kurz.</translation>
    </message>
    <message>
        <source>The passphrases don't match.</source>
        <translation>Die Passphrasen stimmen nicht überein.</translation>
    </message>
    <message>
        <source>Creating</source>
        <translation>Wird erstellt</translation>
    </message>
    <message>
        <source>Enter the passphrase.</source>
        <translation>Die Passphrase eingeben.</translation>
    </message>
    <message>
        <source>Unlocking</source>
        <translation>Wird entsperrt</translation>
    </message>
    <!-- desktop/kit/windowed_model.py -->
    <message>
        <source>The newest are always first. Use the filters to find others.</source>
        <translation>Die neuesten stehen immer zuerst. Andere lassen sich mit den Filtern finden.</translation>
    </message>
    <!-- desktop/my_apps/app_list.py -->
    <message>
        <source>Apps</source>
        <translation>Apps</translation>
    </message>
    <!-- desktop/my_apps/app_page.py -->
    <message>
        <source>Polls</source>
        <translation>Fragt ab</translation>
    </message>
    <message>
        <source>Instant</source>
        <translation>Sofort</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Zeitplan</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>Verbindungen</translation>
    </message>
    <message>
        <source>Triggers and actions</source>
        <translation>Auslöser und Aktionen</translation>
    </message>
    <message>
        <source>Other apps aren't affected. Flows that use this app fail until it loads again. Fix the file, and Patchbay reloads it. To list all problems, run:</source>
        <translation>Andere Apps sind nicht betroffen. Abläufe, die diese App verwenden, schlagen fehl, bis sie wieder geladen werden kann. Nach einer Korrektur der Datei lädt Patchbay sie neu. Dieser Befehl listet alle Probleme auf:</translation>
    </message>
    <message>
        <source>Triggers</source>
        <translation>Auslöser</translation>
    </message>
    <message>
        <source>{name} couldn't be loaded. {error}</source>
        <translation>{name} konnte nicht geladen werden. {error}</translation>
    </message>
    <message>
        <source>Failed to load</source>
        <translation>Ladefehler</translation>
    </message>
    <message>
        <source>The app couldn't be loaded.</source>
        <translation>Die App konnte nicht geladen werden.</translation>
    </message>
    <message>
        <source>Set-up guide</source>
        <translation>Anleitung</translation>
    </message>
    <message>
        <source>Add connection</source>
        <translation>Verbindung hinzufügen</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Ändern</translation>
    </message>
    <message>
        <source>Change where credentials are stored</source>
        <translation>Ändern, wo Zugangsdaten gespeichert werden</translation>
    </message>
    <message>
        <source>You haven't connected {name} yet. Flows use a connection to access your account.</source>
        <translation>{name} ist noch nicht verbunden. Abläufe greifen über eine Verbindung auf das Konto zu.</translation>
    </message>
    <message>
        <source>No flow uses this app's connections yet.</source>
        <translation>Noch kein Ablauf verwendet die Verbindungen dieser App.</translation>
    </message>
    <message>
        <source>Copy error</source>
        <translation>Fehler kopieren</translation>
    </message>
    <message>
        <source>Command that checks the app</source>
        <translation>Befehl, der die App prüft</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>Open settings</source>
        <translation>Einstellungen öffnen</translation>
    </message>
    <message>
        <source>This app couldn't be loaded</source>
        <translation>Diese App konnte nicht geladen werden</translation>
    </message>
    <!-- desktop/my_apps/app_picker.py -->
    <message>
        <source>Search apps</source>
        <translation>Apps suchen</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>Kategorie</translation>
    </message>
    <message>
        <source>Continue</source>
        <comment>button</comment>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>No matching apps</source>
        <translation>Keine passenden Apps</translation>
    </message>
    <message>
        <source>Try a different search.</source>
        <translation>Anderen Suchbegriff versuchen.</translation>
    </message>
    <!-- desktop/my_apps/connection_card.py -->
    <message numerus="yes">
        <source>{names} and {n} more</source>
        <comment>flows</comment>
        <extracomment>{names} and {n} more</extracomment>
        <translation><numerusform>{names} und {n} weiterer</numerusform><numerusform>{names} und {n} weitere</numerusform></translation>
    </message>
    <message>
        <source>{time}, succeeded</source>
        <translation>{time}, erfolgreich</translation>
    </message>
    <message numerus="yes">
        <source>{n} published flow can't run until you reconnect.</source>
        <extracomment>{n} published flows can't run until you reconnect.</extracomment>
        <translation><numerusform>{n} veröffentlichter Ablauf kann erst nach dem Neuverbinden wieder ausgeführt werden.</numerusform><numerusform>{n} veröffentlichte Abläufe können erst nach dem Neuverbinden wieder ausgeführt werden.</numerusform></translation>
    </message>
    <message>
        <source>Browser sign-in (OAuth)</source>
        <translation>Anmeldung im Browser (OAuth)</translation>
    </message>
    <message>
        <source>No credentials</source>
        <translation>Keine Zugangsdaten</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nie</translation>
    </message>
    <message>
        <source>Today {time}, succeeded</source>
        <translation>Heute {time}, erfolgreich</translation>
    </message>
    <message>
        <source>{time}, rejected</source>
        <translation>{time}, abgelehnt</translation>
    </message>
    <message>
        <source>The saved credentials are replaced only after the new ones are verified.</source>
        <translation>Die gespeicherten Zugangsdaten werden erst ersetzt, wenn die neuen geprüft sind.</translation>
    </message>
    <message>
        <source>The credentials weren't rejected, so flows keep using them.</source>
        <translation>Die Zugangsdaten wurden nicht abgelehnt, daher verwenden Abläufe sie weiter.</translation>
    </message>
    <message numerus="yes">
        <source>{n} published flow can't run until then.</source>
        <extracomment>{n} published flows can't run until then.</extracomment>
        <translation><numerusform>{n} veröffentlichter Ablauf kann bis dahin nicht ausgeführt werden.</numerusform><numerusform>{n} veröffentlichte Abläufe können bis dahin nicht ausgeführt werden.</numerusform></translation>
    </message>
    <message>
        <source>No flows use it.</source>
        <translation>Kein Ablauf verwendet sie.</translation>
    </message>
    <message>
        <source>Affected flows</source>
        <translation>Betroffene Abläufe</translation>
    </message>
    <message>
        <source>No flows</source>
        <translation>Keine Abläufe</translation>
    </message>
    <message>
        <source>Today {time}, rejected</source>
        <translation>Heute {time}, abgelehnt</translation>
    </message>
    <message>
        <source>Rate limit</source>
        <translation>Ratenbegrenzung</translation>
    </message>
    <message>
        <source>Connection {name}, {state}</source>
        <translation>Verbindung {name}, {state}</translation>
    </message>
    <message>
        <source>Reconnect {name}</source>
        <translation>{name} neu verbinden</translation>
    </message>
    <message>
        <source>Test {name}</source>
        <translation>{name} testen</translation>
    </message>
    <message>
        <source>More actions for {name}</source>
        <translation>Weitere Aktionen für {name}</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>Umbenennen…</translation>
    </message>
    <message>
        <source>Rate limit…</source>
        <translation>Ratenbegrenzung…</translation>
    </message>
    <message>
        <source>Show flows</source>
        <translation>Abläufe anzeigen</translation>
    </message>
    <message>
        <source>Couldn't reach {app} at {time}.</source>
        <translation>{app} war um {time} nicht erreichbar.</translation>
    </message>
    <message>
        <source>Couldn't reach {app} on {day}.</source>
        <translation>{app} war nicht erreichbar ({day}).</translation>
    </message>
    <message>
        <source>Rename connection</source>
        <translation>Verbindung umbenennen</translation>
    </message>
    <message>
        <source>Screen name</source>
        <translation>Anzeigename</translation>
    </message>
    <message numerus="yes">
        <source>{n} published flow can't run without it.</source>
        <extracomment>{n} published flows can't run without it.</extracomment>
        <translation><numerusform>{n} veröffentlichter Ablauf kann ohne sie nicht ausgeführt werden.</numerusform><numerusform>{n} veröffentlichte Abläufe können ohne sie nicht ausgeführt werden.</numerusform></translation>
    </message>
    <message>
        <source>Enter a name.</source>
        <translation>Einen Namen eingeben.</translation>
    </message>
    <message numerus="yes">
        <source>{n} flow, {published} of them published, can't run without it.</source>
        <extracomment>{n} flows, {published} of them published, can't run without it.</extracomment>
        <translation><numerusform>{n} Ablauf, davon {published} veröffentlicht, kann ohne sie nicht ausgeführt werden.</numerusform><numerusform>{n} Abläufe, davon {published} veröffentlicht, können ohne sie nicht ausgeführt werden.</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} flow can't run without it.</source>
        <extracomment>{n} flows can't run without it.</extracomment>
        <translation><numerusform>{n} Ablauf kann ohne sie nicht ausgeführt werden.</numerusform><numerusform>{n} Abläufe können ohne sie nicht ausgeführt werden.</numerusform></translation>
    </message>
    <message>
        <source>Test again</source>
        <translation>Erneut testen</translation>
    </message>
    <message>
        <source>Credentials</source>
        <translation>Zugangsdaten</translation>
    </message>
    <message>
        <source>Used by</source>
        <translation>Verwendet von</translation>
    </message>
    <message>
        <source>Last test</source>
        <translation>Letzter Test</translation>
    </message>
    <message numerus="yes">
        <source>Show {n} flow</source>
        <extracomment>Show {n} flows</extracomment>
        <translation><numerusform>{n} Ablauf anzeigen</numerusform><numerusform>{n} Abläufe anzeigen</numerusform></translation>
    </message>
    <message>
        <source>Show failed executions</source>
        <translation>Fehlgeschlagene Ausführungen anzeigen</translation>
    </message>
    <!-- desktop/my_apps/connection_dialog.py -->
    <message>
        <source>Create passphrase vault…</source>
        <translation>Passphrasentresor anlegen…</translation>
    </message>
    <message>
        <source>Use a passphrase instead…</source>
        <translation>Stattdessen Passphrase verwenden…</translation>
    </message>
    <message>
        <source>Unlock…</source>
        <translation>Entsperren…</translation>
    </message>
    <message>
        <source>Stored on this computer</source>
        <translation>Auf diesem Computer gespeichert</translation>
    </message>
    <message>
        <source>Stored on the server</source>
        <translation>Auf dem Server gespeichert</translation>
    </message>
    <message>
        <source>Stored in the demo only</source>
        <translation>Nur in der Demo gespeichert</translation>
    </message>
    <message>
        <source>Connect {app}</source>
        <translation>{app} verbinden</translation>
    </message>
    <message>
        <source>Use the new account</source>
        <translation>Neues Konto verwenden</translation>
    </message>
    <message>
        <source>Sign in with browser</source>
        <translation>Im Browser anmelden</translation>
    </message>
    <message>
        <source>Test and save</source>
        <translation>Testen und speichern</translation>
    </message>
    <message>
        <source>Preparing the sign-in</source>
        <translation>Anmeldung wird vorbereitet</translation>
    </message>
    <message>
        <source>Contacting {app}</source>
        <translation>Verbindung zu {app} wird aufgebaut</translation>
    </message>
    <message>
        <source>{n} s. Nothing has been saved yet</source>
        <translation>{n} s. Noch nichts gespeichert</translation>
    </message>
    <message>
        <source>Credentials are saved only after they're verified</source>
        <translation>Zugangsdaten werden erst nach der Prüfung gespeichert</translation>
    </message>
    <message>
        <source>The saved credentials haven't changed</source>
        <translation>Gespeicherte Zugangsdaten unverändert</translation>
    </message>
    <message>
        <source>Nothing has been saved yet</source>
        <translation>Noch nichts gespeichert</translation>
    </message>
    <message>
        <source>Continue on the app's page</source>
        <translation>Weiter auf der Seite der App</translation>
    </message>
    <message>
        <source>Continue in your browser</source>
        <translation>Weiter im Browser</translation>
    </message>
    <message>
        <source>Waiting for {app}</source>
        <translation>Warten auf {app}</translation>
    </message>
    <message>
        <source>This is a different account</source>
        <translation>Das ist ein anderes Konto</translation>
    </message>
    <message>
        <source>Signed in to {app}</source>
        <translation>Angemeldet bei {app}</translation>
    </message>
    <message>
        <source>Reconnect “{name}”</source>
        <translation>„{name}“ neu verbinden</translation>
    </message>
    <message>
        <source>{app}. The saved credentials are kept until the new ones are verified.</source>
        <translation>{app}. Die gespeicherten Zugangsdaten bleiben erhalten, bis die neuen geprüft sind.</translation>
    </message>
    <message numerus="yes">
        <source>{n} flow would use “{account}”, with its data and permissions.</source>
        <extracomment>{n} flows would use “{account}”, with its data and permissions.</extracomment>
        <translation><numerusform>{n} Ablauf würde „{account}“ verwenden, mit dessen Daten und Berechtigungen.</numerusform><numerusform>{n} Abläufe würden „{account}“ verwenden, mit dessen Daten und Berechtigungen.</numerusform></translation>
    </message>
    <message>
        <source>Every flow that uses this connection would use “{account}”, with its data and permissions.</source>
        <translation>Jeder Ablauf mit dieser Verbindung würde „{account}“ verwenden, mit dessen Daten und Berechtigungen.</translation>
    </message>
    <message>
        <source>Nothing has changed yet</source>
        <translation>Noch hat sich nichts geändert</translation>
    </message>
    <message>
        <source>Before: {before}. Now: {now}.</source>
        <translation>Vorher: {before}. Jetzt: {now}.</translation>
    </message>
    <message>
        <source>Show guide</source>
        <translation>Anleitung anzeigen</translation>
    </message>
    <message>
        <source>Checking</source>
        <translation>Wird geprüft</translation>
    </message>
    <message>
        <source>Current account</source>
        <translation>Aktuelles Konto</translation>
    </message>
    <message>
        <source>New account</source>
        <translation>Neues Konto</translation>
    </message>
    <message>
        <source>Credentials can't be stored right now</source>
        <translation>Zugangsdaten lassen sich derzeit nicht speichern</translation>
    </message>
    <message>
        <source>Reconnect</source>
        <translation>Neu verbinden</translation>
    </message>
    <message>
        <source>Hide guide</source>
        <translation>Anleitung ausblenden</translation>
    </message>
    <message>
        <source>The fields of this app are still loading.</source>
        <translation>Die Felder dieser App werden noch geladen.</translation>
    </message>
    <message>
        <source>Keep the current account</source>
        <translation>Aktuelles Konto behalten</translation>
    </message>
    <message>
        <source>The saved credentials stay unchanged.</source>
        <translation>Die gespeicherten Zugangsdaten bleiben unverändert.</translation>
    </message>
    <message>
        <source>The connection hasn't been saved.</source>
        <translation>Die Verbindung ist noch nicht gespeichert.</translation>
    </message>
    <message>
        <source>Discard what you entered?</source>
        <translation>Eingaben verwerfen?</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Encrypt and save</source>
        <translation>Verschlüsseln und speichern</translation>
    </message>
    <!-- desktop/my_apps/connection_fields.py -->
    <message>
        <source>Certificates and keys (*.pem *.crt *.cer *.key);;All files (*)</source>
        <translation>Zertifikate und Schlüssel (*.pem *.crt *.cer *.key);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Leave empty to keep the saved value</source>
        <translation>Leer lassen, um den gespeicherten Wert zu behalten</translation>
    </message>
    <message>
        <source>Enter it again</source>
        <translation>Erneut eingeben</translation>
    </message>
    <message numerus="yes">
        <source>{fields} has changed. Stored credentials are only sent to the address they were entered for.</source>
        <extracomment>{fields} have changed. Stored credentials are only sent to the address they were entered for.</extracomment>
        <translation><numerusform>{fields} hat sich geändert. Gespeicherte Zugangsdaten werden nur an die Adresse gesendet, für die sie eingegeben wurden.</numerusform><numerusform>{fields} haben sich geändert. Gespeicherte Zugangsdaten werden nur an die Adresse gesendet, für die sie eingegeben wurden.</numerusform></translation>
    </message>
    <message>
        <source>Choose file…</source>
        <translation>Datei auswählen…</translation>
    </message>
    <message>
        <source>Choose a file for {name}</source>
        <translation>Datei für {name} auswählen</translation>
    </message>
    <message>
        <source>Enter the credentials again</source>
        <translation>Zugangsdaten erneut eingeben</translation>
    </message>
    <message>
        <source>{file} isn't a PEM file.</source>
        <translation>{file} ist keine PEM-Datei.</translation>
    </message>
    <message>
        <source>Couldn't read {file}: {reason}.</source>
        <translation>{file} konnte nicht gelesen werden: {reason}.</translation>
    </message>
    <message>
        <source>None</source>
        <comment>no option of a field</comment>
        <translation>Keine</translation>
    </message>
    <!-- desktop/my_apps/setup_guide.py -->
    <message>
        <source>Open in browser</source>
        <translation>Im Browser öffnen</translation>
    </message>
    <message>
        <source>How to connect {app}</source>
        <translation>So wird {app} verbunden</translation>
    </message>
    <!-- desktop/my_apps/sign_in_page.py -->
    <message>
        <source>Time left: {time}.</source>
        <translation>Verbleibende Zeit: {time}.</translation>
    </message>
    <message>
        <source>Waiting for you to enter the code</source>
        <translation>Warten auf die Eingabe des Codes</translation>
    </message>
    <message>
        <source>Open browser again</source>
        <translation>Browser erneut öffnen</translation>
    </message>
    <message>
        <source>Copy sign-in link</source>
        <translation>Anmeldelink kopieren</translation>
    </message>
    <message>
        <source>Before you continue</source>
        <translation>Vor dem Fortfahren</translation>
    </message>
    <message>
        <source>Open browser</source>
        <translation>Browser öffnen</translation>
    </message>
    <message>
        <source>This dialog continues automatically when you're done.</source>
        <translation>Danach geht es in diesem Dialog automatisch weiter.</translation>
    </message>
    <message>
        <source>You can close the browser tab and open it again. This dialog keeps waiting.</source>
        <translation>Der Browser-Tab kann geschlossen und erneut geöffnet werden. Dieser Dialog wartet weiter.</translation>
    </message>
    <message>
        <source>Code ready</source>
        <translation>Code bereit</translation>
    </message>
    <message>
        <source>Opened the sign-in page in your browser</source>
        <translation>Anmeldeseite im Browser geöffnet</translation>
    </message>
    <message>
        <source>Waiting for you to allow access</source>
        <translation>Warten auf die Zustimmung zum Zugriff</translation>
    </message>
    <message>
        <source>On any device, open the page below and enter this code:</source>
        <translation>Auf einem beliebigen Gerät die Seite unten öffnen und diesen Code eingeben:</translation>
    </message>
    <message>
        <source>Copy code</source>
        <translation>Code kopieren</translation>
    </message>
    <message>
        <source>Browser didn't open? Signing in on another computer?</source>
        <translation>Kein Browser geöffnet? Anmeldung an einem anderen Computer?</translation>
    </message>
    <message>
        <source>Continue with this address</source>
        <translation>Mit dieser Adresse fortfahren</translation>
    </message>
    <message>
        <source>Address of the last page</source>
        <translation>Adresse der letzten Seite</translation>
    </message>
    <message>
        <source>Sign in there, then paste the address of the last page, even if it shows an error.</source>
        <translation>Dort anmelden und dann die Adresse der letzten Seite einfügen, auch wenn diese einen Fehler zeigt.</translation>
    </message>
    <message>
        <source>Open the page</source>
        <translation>Seite öffnen</translation>
    </message>
    <message>
        <source>Waiting for you to continue</source>
        <translation>Weiter, sobald alles bereit ist</translation>
    </message>
    <message>
        <source>You allowed access</source>
        <translation>Zugriff erlaubt</translation>
    </message>
    <message>
        <source>Verifying the credentials</source>
        <translation>Zugangsdaten werden geprüft</translation>
    </message>
    <message>
        <source>Verify the credentials</source>
        <translation>Zugangsdaten prüfen</translation>
    </message>
    <message>
        <source>Code {code}</source>
        <translation>Code {code}</translation>
    </message>
    <message>
        <source>Open the browser</source>
        <translation>Browser öffnen</translation>
    </message>
    <message>
        <source>Couldn't open a browser</source>
        <translation>Browser konnte nicht geöffnet werden</translation>
    </message>
    <!-- desktop/my_apps/tab.py -->
    <message>
        <source>These are sample connections.</source>
        <translation>Das sind Beispielverbindungen.</translation>
    </message>
    <message>
        <source>They belong to the demo's fictional company. Nothing is sent to any app: the demo responds instead, and rejects keys that contain “wrong”.</source>
        <translation>Sie gehören zur erfundenen Firma der Demo. An Apps wird nichts gesendet: Stattdessen antwortet die Demo und lehnt Schlüssel ab, die „wrong“ enthalten.</translation>
    </message>
    <message>
        <source>No connections yet</source>
        <translation>Noch keine Verbindungen</translation>
    </message>
    <message>
        <source>Choose an app in the list and connect it. Or start with a template, which shows what to connect.</source>
        <translation>Eine App in der Liste auswählen und verbinden. Oder mit einer Vorlage beginnen, die zeigt, was zu verbinden ist.</translation>
    </message>
    <message>
        <source>Recently used</source>
        <translation>Zuletzt verwendet</translation>
    </message>
    <message>
        <source>Testing {n} of {total}</source>
        <translation>Test {n} von {total}</translation>
    </message>
    <message>
        <source>Connections are managed on the server</source>
        <translation>Verbindungen werden auf dem Server verwaltet</translation>
    </message>
    <message>
        <source>Filter apps</source>
        <translation>Apps filtern</translation>
    </message>
    <message>
        <source>Test all</source>
        <translation>Alle testen</translation>
    </message>
    <message>
        <source>Sort by</source>
        <translation>Sortieren nach</translation>
    </message>
    <message>
        <source>There are no connections to test yet.</source>
        <translation>Es gibt noch keine Verbindungen zum Testen.</translation>
    </message>
    <message>
        <source>“{name}” is connected</source>
        <translation>„{name}“ ist verbunden</translation>
    </message>
    <message>
        <source>Show as list</source>
        <translation>Als Liste anzeigen</translation>
    </message>
    <message>
        <source>Show as grid</source>
        <translation>Als Raster anzeigen</translation>
    </message>
    <message>
        <source>Problems first</source>
        <translation>Probleme zuerst</translation>
    </message>
    <message>
        <source>Stop</source>
        <comment>button, ends a test</comment>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Stop testing</source>
        <translation>Test abbrechen</translation>
    </message>
    <message>
        <source>Connect an app…</source>
        <translation>App verbinden…</translation>
    </message>
    <message>
        <source>Test all connections</source>
        <translation>Alle Verbindungen testen</translation>
    </message>
    <message>
        <source>Open web interface</source>
        <translation>Weboberfläche öffnen</translation>
    </message>
    <message>
        <source>My Apps</source>
        <translation>Meine Apps</translation>
    </message>
    <message>
        <source>No apps here</source>
        <translation>Keine Apps</translation>
    </message>
    <message>
        <source>This workspace has no apps to connect.</source>
        <translation>In diesem Arbeitsbereich gibt es keine Apps zum Verbinden.</translation>
    </message>
    <!-- desktop/my_apps/view_models/app_list.py -->
    <message>
        <source>Valid</source>
        <translation>Gültig</translation>
    </message>
    <message>
        <source>Never tested</source>
        <translation>Nie getestet</translation>
    </message>
    <message>
        <source>Not connected</source>
        <translation>Nicht verbunden</translation>
    </message>
    <message>
        <source>Locked</source>
        <translation>Gesperrt</translation>
    </message>
    <message>
        <source>Key missing</source>
        <translation>Schlüssel fehlt</translation>
    </message>
    <message>
        <source>Unreachable</source>
        <translation>Nicht erreichbar</translation>
    </message>
    <message numerus="yes">
        <source>Expires in {n} day</source>
        <extracomment>Expires in {n} days</extracomment>
        <translation><numerusform>Läuft in {n} Tag ab</numerusform><numerusform>Läuft in {n} Tagen ab</numerusform></translation>
    </message>
    <message>
        <source>Expires soon</source>
        <translation>Läuft bald ab</translation>
    </message>
    <message>
        <source>Load error</source>
        <translation>Ladefehler</translation>
    </message>
    <message numerus="yes">
        <source>{n} rejected</source>
        <comment>connections</comment>
        <extracomment>{n} rejected</extracomment>
        <translation><numerusform>{n} abgelehnt</numerusform><numerusform>{n} abgelehnt</numerusform></translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>Abgelaufen</translation>
    </message>
    <message>
        <source>Not used recently</source>
        <translation>Länger nicht verwendet</translation>
    </message>
    <message>
        <source>Expires tomorrow</source>
        <translation>Läuft morgen ab</translation>
    </message>
    <message>
        <source>Expires today</source>
        <translation>Läuft heute ab</translation>
    </message>
    <message>
        <source>This app is no longer installed.</source>
        <translation>Diese App ist nicht mehr installiert.</translation>
    </message>
    <message>
        <source>All other apps</source>
        <translation>Alle anderen Apps</translation>
    </message>
    <!-- desktop/my_apps/view_models/connection_form.py -->
    <message>
        <source>{first} and {second}</source>
        <translation>{first} und {second}</translation>
    </message>
    <message>
        <source>Enter the current value.</source>
        <translation>Den aktuellen Wert eingeben.</translation>
    </message>
    <message>
        <source>Reveal it to check what you entered.</source>
        <translation>Zum Prüfen der Eingabe einblenden.</translation>
    </message>
    <message>
        <source>Paste the address of the last page.</source>
        <translation>Die Adresse der letzten Seite einfügen.</translation>
    </message>
    <!-- desktop/my_apps/view_models/my_apps.py -->
    <message numerus="yes">
        <source>{n} connection tested: {results}.</source>
        <extracomment>{n} connections tested: {results}.</extracomment>
        <translation><numerusform>{n} Verbindung getestet: {results}.</numerusform><numerusform>{n} Verbindungen getestet: {results}.</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Stopped after {done} of {n} connection.</source>
        <extracomment>Stopped after {done} of {n} connections.</extracomment>
        <translation><numerusform>Nach {done} von {n} Verbindung angehalten.</numerusform><numerusform>Nach {done} von {n} Verbindungen angehalten.</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>The connection is valid.</source>
        <extracomment>All {n} connections are valid.</extracomment>
        <translation><numerusform>Die Verbindung ist gültig.</numerusform><numerusform>Alle {n} Verbindungen sind gültig.</numerusform></translation>
    </message>
    <message>
        <source>{name} copy</source>
        <translation>{name} (Kopie)</translation>
    </message>
    <message numerus="yes">
        <source>{n} needs attention</source>
        <extracomment>{n} need attention</extracomment>
        <translation><numerusform>{n} mit Handlungsbedarf</numerusform><numerusform>{n} mit Handlungsbedarf</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} couldn't be reached</source>
        <extracomment>{n} couldn't be reached</extracomment>
        <translation><numerusform>{n} nicht erreichbar</numerusform><numerusform>{n} nicht erreichbar</numerusform></translation>
    </message>
    <message>
        <source>Rate limit of “{name}”: {limit}</source>
        <translation>Ratenbegrenzung von „{name}“: {limit}</translation>
    </message>
    <message>
        <source>Removed the rate limit of “{name}”</source>
        <translation>Ratenbegrenzung von „{name}“ entfernt</translation>
    </message>
    <message>
        <source>“{name}” created</source>
        <translation>„{name}“ erstellt</translation>
    </message>
    <message>
        <source>{name}: needs attention</source>
        <translation>{name}: Handlungsbedarf</translation>
    </message>
    <!-- desktop/my_apps/wait_steps.py -->
    <message>
        <source>done</source>
        <comment>state of a step</comment>
        <translation>erledigt</translation>
    </message>
    <message>
        <source>in progress</source>
        <comment>state of a step</comment>
        <translation>läuft</translation>
    </message>
    <message>
        <source>pending</source>
        <comment>state of a step</comment>
        <translation>ausstehend</translation>
    </message>
    <message>
        <source>not done</source>
        <comment>state of a step</comment>
        <translation>nicht erledigt</translation>
    </message>
    <!-- desktop/settings/allowed_paths.py -->
    <message>
        <source>Folders for files</source>
        <translation>Ordner für Dateien</translation>
    </message>
    <message>
        <source>Steps can use files on this computer only in these folders. Everyone who can edit flows can then read, change, and delete everything in them.</source>
        <translation>Schritte können Dateien dieses Computers nur in diesen Ordnern verwenden. Alle, die Abläufe bearbeiten dürfen, können dann alles darin lesen, ändern und löschen.</translation>
    </message>
    <message>
        <source>Allow folder…</source>
        <translation>Ordner erlauben…</translation>
    </message>
    <message>
        <source>Allow folder</source>
        <translation>Ordner erlauben</translation>
    </message>
    <message>
        <source>The full path of a folder on this computer.</source>
        <translation>Der vollständige Pfad eines Ordners auf diesem Computer.</translation>
    </message>
    <message>
        <source>The full path of a folder on the server.</source>
        <translation>Der vollständige Pfad eines Ordners auf dem Server.</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>Ordner auswählen</translation>
    </message>
    <message>
        <source>Enter a folder.</source>
        <translation>Einen Ordner eingeben.</translation>
    </message>
    <message>
        <source>Programs</source>
        <translation>Programme</translation>
    </message>
    <message>
        <source>Steps can run only these installed programs on this computer, in flows that an admin starts or has published. The programs aren't isolated.</source>
        <translation>Schritte können nur diese installierten Programme dieses Computers ausführen, in Abläufen, die ein Admin startet oder veröffentlicht hat. Die Programme sind nicht isoliert.</translation>
    </message>
    <message>
        <source>Allow program…</source>
        <translation>Programm erlauben…</translation>
    </message>
    <message>
        <source>Allow program</source>
        <translation>Programm erlauben</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>The full path of a program on this computer that other users can't change or replace. Shells can't be allowed.</source>
        <translation>Der vollständige Pfad eines Programms auf diesem Computer, das andere Benutzer nicht ändern oder ersetzen können. Shells können nicht erlaubt werden.</translation>
    </message>
    <message>
        <source>The full path of a program on the server that other users can't change or replace. Shells can't be allowed.</source>
        <translation>Der vollständige Pfad eines Programms auf dem Server, das andere Benutzer nicht ändern oder ersetzen können. Shells können nicht erlaubt werden.</translation>
    </message>
    <message>
        <source>Choose a program</source>
        <translation>Programm auswählen</translation>
    </message>
    <message>
        <source>Enter a program.</source>
        <translation>Ein Programm eingeben.</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>{name} entfernen</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Durchsuchen…</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>Erlauben</translation>
    </message>
    <!-- desktop/settings/api_keys_page.py -->
    <message>
        <source>Has access to everyone's data.</source>
        <translation>Hat Zugriff auf die Daten aller Personen.</translation>
    </message>
    <message>
        <source>Scripts and other Patchbay windows sign in with an API key. Use one key per client so you can revoke it on its own.</source>
        <translation>Skripte und andere Patchbay-Fenster melden sich mit einem API-Schlüssel an. Mit einem Schlüssel je Client lässt sich jeder einzeln widerrufen.</translation>
    </message>
    <message>
        <source>With a key, scripts can use the HTTP API, and Patchbay on another computer can open this workspace.</source>
        <translation>Mit einem Schlüssel können Skripte die HTTP-API verwenden und Patchbay auf einem anderen Computer diesen Arbeitsbereich öffnen.</translation>
    </message>
    <message>
        <source>Clients send it in the {header} header to {address}.</source>
        <translation>Clients senden ihn im Header {header} an {address}.</translation>
    </message>
    <message>
        <source>Clients send it in the {header} header.</source>
        <translation>Clients senden ihn im Header {header}.</translation>
    </message>
    <message>
        <source>API key “{name}” created</source>
        <translation>API-Schlüssel „{name}“ erstellt</translation>
    </message>
    <message>
        <source>Clients that use this key ({used}) stop working immediately.</source>
        <translation>Clients mit diesem Schlüssel ({used}) funktionieren sofort nicht mehr.</translation>
    </message>
    <message>
        <source>used {age} ago</source>
        <translation>vor {age} verwendet</translation>
    </message>
    <message>
        <source>Create an API key</source>
        <translation>API-Schlüssel erstellen</translation>
    </message>
    <message>
        <source>Nightly export</source>
        <translation>Nächtlicher Export</translation>
    </message>
    <message>
        <source>Scope</source>
        <translation>Umfang</translation>
    </message>
    <message>
        <source>Owner</source>
        <translation>Besitzer</translation>
    </message>
    <message>
        <source>Create key</source>
        <translation>Schlüssel erstellen</translation>
    </message>
    <message>
        <source>API key</source>
        <translation>API-Schlüssel</translation>
    </message>
    <message>
        <source>You won't be able to see this key again. If you lose it, revoke it and create a new one.</source>
        <translation>Dieser Schlüssel wird nicht erneut angezeigt. Geht er verloren, muss er widerrufen und ein neuer erstellt werden.</translation>
    </message>
    <message>
        <source>API keys</source>
        <translation>API-Schlüssel</translation>
    </message>
    <message>
        <source>Create key…</source>
        <translation>Schlüssel erstellen…</translation>
    </message>
    <message>
        <source>How to use API keys</source>
        <translation>API-Schlüssel verwenden</translation>
    </message>
    <message>
        <source>example request</source>
        <translation>Beispielanfrage</translation>
    </message>
    <message>
        <source>Example request for a terminal</source>
        <translation>Beispielanfrage für ein Terminal</translation>
    </message>
    <message>
        <source>This key has never been used.</source>
        <translation>Dieser Schlüssel wurde nie verwendet.</translation>
    </message>
    <message>
        <source>Clients that use this key ({used}) stop working immediately, including this window if it uses this key.</source>
        <translation>Clients mit diesem Schlüssel ({used}) funktionieren sofort nicht mehr, auch dieses Fenster, falls es ihn verwendet.</translation>
    </message>
    <message>
        <source>Revoke “{name}”?</source>
        <translation>„{name}“ widerrufen?</translation>
    </message>
    <message>
        <source>Revoke</source>
        <comment>button</comment>
        <translation>Widerrufen</translation>
    </message>
    <message>
        <source>API keys can't be managed here</source>
        <translation>API-Schlüssel lassen sich hier nicht verwalten</translation>
    </message>
    <message>
        <source>API keys are still loading.</source>
        <translation>Die API-Schlüssel werden noch geladen.</translation>
    </message>
    <message>
        <source>created {date}</source>
        <translation>erstellt: {date}</translation>
    </message>
    <message>
        <source>Scope: {scope}, limited by {name}'s role.</source>
        <translation>Umfang: {scope}, begrenzt durch die Rolle von {name}.</translation>
    </message>
    <message>
        <source>Revoke…</source>
        <translation>Widerrufen…</translation>
    </message>
    <message>
        <source>Revoke {name}</source>
        <translation>{name} widerrufen</translation>
    </message>
    <message>
        <source>Revoking</source>
        <translation>Wird widerrufen</translation>
    </message>
    <message>
        <source>never used</source>
        <translation>nie verwendet</translation>
    </message>
    <message>
        <source>used just now</source>
        <translation>gerade verwendet</translation>
    </message>
    <message>
        <source>Copy it now</source>
        <translation>Jetzt kopieren</translation>
    </message>
    <message>
        <source>You won't see it again. Patchbay stores only a hash of it.</source>
        <translation>Er wird nicht erneut angezeigt. Patchbay speichert nur einen Hash davon.</translation>
    </message>
    <message>
        <source>Loading API keys…</source>
        <translation>API-Schlüssel werden geladen…</translation>
    </message>
    <message>
        <source>No API keys yet</source>
        <translation>Noch keine API-Schlüssel</translation>
    </message>
    <message>
        <source>No owner</source>
        <translation>Kein Besitzer</translation>
    </message>
    <message>
        <source>Has the same permissions as {name}.</source>
        <translation>Hat dieselben Berechtigungen wie {name}.</translation>
    </message>
    <message>
        <source>Revoking can't be undone.</source>
        <translation>Das Widerrufen lässt sich nicht rückgängig machen.</translation>
    </message>
    <!-- desktop/settings/audit_columns.py -->
    <message>
        <source>When</source>
        <comment>column</comment>
        <translation>Wann</translation>
    </message>
    <message>
        <source>Who</source>
        <comment>column</comment>
        <translation>Wer</translation>
    </message>
    <message>
        <source>What</source>
        <comment>column</comment>
        <translation>Was</translation>
    </message>
    <!-- desktop/settings/audit_log.py -->
    <message>
        <source>Every change made by people, API keys, and commands is recorded here.</source>
        <translation>Hier wird jede Änderung durch Personen, API-Schlüssel und Befehle aufgezeichnet.</translation>
    </message>
    <message>
        <source>Every change made by people, API keys, and commands is recorded with its author and origin. Runs started by triggers aren't listed here; see Executions.</source>
        <translation>Jede Änderung durch Personen, API-Schlüssel und Befehle wird mit Urheber und Herkunft aufgezeichnet. Von Auslösern gestartete Läufe stehen unter „Ausführungen“.</translation>
    </message>
    <message numerus="yes">
        <source>{n} entry matches</source>
        <extracomment>{n} entries match</extracomment>
        <translation><numerusform>{n} Eintrag passt</numerusform><numerusform>{n} Einträge passen</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Exported {done} of {n} entry</source>
        <extracomment>Exported {done} of {n} entries</extracomment>
        <translation><numerusform>{done} von {n} Eintrag exportiert</numerusform><numerusform>{done} von {n} Einträgen exportiert</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} entry written to {file}.</source>
        <extracomment>{n} entries written to {file}.</extracomment>
        <translation><numerusform>{n} Eintrag in {file} geschrieben.</numerusform><numerusform>{n} Einträge in {file} geschrieben.</numerusform></translation>
    </message>
    <message>
        <source>Audit log</source>
        <translation>Prüfprotokoll</translation>
    </message>
    <message numerus="yes">
        <source>Actions for {n} entry</source>
        <extracomment>Actions for {n} entries</extracomment>
        <translation><numerusform>Aktionen für {n} Eintrag</numerusform><numerusform>Aktionen für {n} Einträge</numerusform></translation>
    </message>
    <message>
        <source>Filter by name or person</source>
        <translation>Nach Name oder Person filtern</translation>
    </message>
    <message>
        <source>Clear</source>
        <comment>button, filters</comment>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Export the audit log</source>
        <translation>Prüfprotokoll exportieren</translation>
    </message>
    <message>
        <source>Open the audit log</source>
        <translation>Prüfprotokoll öffnen</translation>
    </message>
    <message>
        <source>Recent changes</source>
        <translation>Letzte Änderungen</translation>
    </message>
    <message>
        <source>{time}, {age} ago</source>
        <translation>{time}, vor {age}</translation>
    </message>
    <message>
        <source>this kind of object has no page</source>
        <translation>für diese Art von Objekt gibt es keine Seite</translation>
    </message>
    <message>
        <source>Only by “{name}”</source>
        <translation>Nur von „{name}“</translation>
    </message>
    <message>
        <source>Kind</source>
        <comment>filter</comment>
        <translation>Art</translation>
    </message>
    <message>
        <source>When</source>
        <comment>filter</comment>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>The audit log isn't available here</source>
        <translation>Das Prüfprotokoll ist hier nicht verfügbar</translation>
    </message>
    <message>
        <source>There are no entries to export.</source>
        <translation>Es gibt keine Einträge zum Exportieren.</translation>
    </message>
    <message>
        <source>Loading the audit log…</source>
        <translation>Prüfprotokoll wird geladen…</translation>
    </message>
    <message>
        <source>No changes yet</source>
        <translation>Noch keine Änderungen</translation>
    </message>
    <message>
        <source>Couldn't load the audit log.</source>
        <translation>Das Prüfprotokoll konnte nicht geladen werden.</translation>
    </message>
    <!-- desktop/settings/backups_section.py -->
    <message>
        <source>Backup folder</source>
        <translation>Sicherungsordner</translation>
    </message>
    <message>
        <source>Backups run wherever the engine runs, even without a window. A missed backup runs later.</source>
        <translation>Gesichert wird dort, wo die Engine läuft, auch ohne Fenster. Eine verpasste Sicherung wird nachgeholt.</translation>
    </message>
    <message>
        <source>Older backups made by Patchbay are deleted after each new one.</source>
        <translation>Ältere Sicherungen von Patchbay werden nach jeder neuen gelöscht.</translation>
    </message>
    <message>
        <source>Choose a folder on another disk, in case this one fails.</source>
        <translation>Am besten einen Ordner auf einem anderen Datenträger wählen, falls dieser ausfällt.</translation>
    </message>
    <message>
        <source>Back up automatically</source>
        <translation>Automatisch sichern</translation>
    </message>
    <message>
        <source>Backup day</source>
        <translation>Wochentag der Sicherung</translation>
    </message>
    <message>
        <source>Backup time</source>
        <translation>Uhrzeit der Sicherung</translation>
    </message>
    <message>
        <source>Backups to keep</source>
        <translation>Aufbewahrte Sicherungen</translation>
    </message>
    <message>
        <source>Last backup: {time}, {size}.</source>
        <translation>Letzte Sicherung: {time}, {size}.</translation>
    </message>
    <message>
        <source>Never</source>
        <comment>how often</comment>
        <translation>Nie</translation>
    </message>
    <message>
        <source>Every day</source>
        <translation>Täglich</translation>
    </message>
    <message>
        <source>Every week</source>
        <translation>Wöchentlich</translation>
    </message>
    <message>
        <source>New backups are encrypted with this passphrase. Keep a copy of it elsewhere: a backup can't be opened without it. Older backups keep their old passphrase.</source>
        <translation>Neue Sicherungen werden mit dieser Passphrase verschlüsselt. Sie sollte auch anderswo aufbewahrt sein: Ohne sie lässt sich eine Sicherung nicht öffnen. Für ältere Sicherungen gilt weiter die alte Passphrase.</translation>
    </message>
    <message>
        <source>At least {n} characters.</source>
        <translation>Mindestens {n} Zeichen.</translation>
    </message>
    <message>
        <source>Loading backups…</source>
        <translation>Sicherungen werden geladen…</translation>
    </message>
    <message>
        <source>No backup has been made on a schedule yet.</source>
        <translation>Noch keine Sicherung nach Zeitplan erstellt.</translation>
    </message>
    <message>
        <source>Choose folder…</source>
        <translation>Ordner auswählen…</translation>
    </message>
    <message>
        <source>Set passphrase…</source>
        <translation>Passphrase festlegen…</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>Jetzt sichern</translation>
    </message>
    <message>
        <source>Restore a backup…</source>
        <translation>Sicherung wiederherstellen…</translation>
    </message>
    <message>
        <source>The last {n}</source>
        <translation>Die letzten {n}</translation>
    </message>
    <message>
        <source>None chosen yet</source>
        <translation>Noch keiner ausgewählt</translation>
    </message>
    <message>
        <source>Backup passphrase</source>
        <translation>Passphrase der Sicherung</translation>
    </message>
    <message>
        <source>Set passphrase</source>
        <translation>Passphrase festlegen</translation>
    </message>
    <message numerus="yes">
        <source>{n} backup in total.</source>
        <extracomment>{n} backups in total.</extracomment>
        <translation><numerusform>{n} Sicherung vorhanden.</numerusform><numerusform>{n} Sicherungen vorhanden.</numerusform></translation>
    </message>
    <message>
        <source>Change passphrase…</source>
        <translation>Passphrase ändern…</translation>
    </message>
    <message>
        <source>It is in {file}.</source>
        <translation>Sie steht in {file}.</translation>
    </message>
    <message>
        <source>Backing up</source>
        <translation>Sicherung läuft</translation>
    </message>
    <message>
        <source>The backup from {time} failed</source>
        <translation>Die Sicherung von {time} ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>Backups are encrypted with it. Set one to make backups.</source>
        <translation>Sicherungen werden damit verschlüsselt. Ohne Passphrase werden keine erstellt.</translation>
    </message>
    <message>
        <source>No passphrase is set</source>
        <translation>Keine Passphrase festgelegt</translation>
    </message>
    <!-- desktop/settings/data_page.py -->
    <message>
        <source>This workspace stores nothing on this computer.</source>
        <translation>Dieser Arbeitsbereich speichert nichts auf diesem Computer.</translation>
    </message>
    <message>
        <source>Credentials are encrypted. The log and crash reports contain no credentials and are never sent.</source>
        <translation>Zugangsdaten sind verschlüsselt. Protokoll und Absturzberichte enthalten keine Zugangsdaten und werden nie gesendet.</translation>
    </message>
    <message>
        <source>No internal error has been reported on this computer.</source>
        <translation>Auf diesem Computer wurde kein interner Fehler gemeldet.</translation>
    </message>
    <message>
        <source>Flows, executions, and encrypted credentials</source>
        <translation>Abläufe, Ausführungen, Zugangsdaten</translation>
    </message>
    <message>
        <source>Key of the credentials, encrypted by the passphrase</source>
        <translation>Schlüssel der Zugangsdaten, mit der Passphrase verschlüsselt</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Your own apps</source>
        <translation>Eigene Apps</translation>
    </message>
    <message>
        <source>Copies of what servers have</source>
        <translation>Kopien der Daten von Servern</translation>
    </message>
    <message>
        <source>Log and crash reports</source>
        <translation>Protokoll und Absturzberichte</translation>
    </message>
    <message>
        <source>Copy of the database from before an upgrade, a restore, or a repair</source>
        <translation>Kopie der Datenbank vor einer Aktualisierung, Wiederherstellung oder Reparatur</translation>
    </message>
    <message>
        <source>Show log</source>
        <translation>Protokoll anzeigen</translation>
    </message>
    <message>
        <source>Files and folders</source>
        <translation>Dateien und Ordner</translation>
    </message>
    <message>
        <source>Crash reports</source>
        <translation>Absturzberichte</translation>
    </message>
    <message>
        <source>Copy the path of “{name}”</source>
        <translation>Pfad von „{name}“ kopieren</translation>
    </message>
    <message>
        <source>Open the folder of “{name}”</source>
        <translation>Ordner von „{name}“ öffnen</translation>
    </message>
    <message>
        <source>Show</source>
        <comment>button</comment>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Show the crash report of {time}</source>
        <translation>Absturzbericht von {time} anzeigen</translation>
    </message>
    <message>
        <source>Delete the crash report of {time}</source>
        <translation>Absturzbericht von {time} löschen</translation>
    </message>
    <message>
        <source>Log</source>
        <comment>title</comment>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Crash report of {time}</source>
        <translation>Absturzbericht: {time}</translation>
    </message>
    <message>
        <source>Delete this crash report?</source>
        <translation>Diesen Absturzbericht löschen?</translation>
    </message>
    <message>
        <source>The report of {time} helps to find the cause of the error.</source>
        <translation>Der Bericht von {time} hilft, die Ursache des Fehlers zu finden.</translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation>Alles kopieren</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>Sicherungen</translation>
    </message>
    <message>
        <source>The log is empty.</source>
        <translation>Das Protokoll ist leer.</translation>
    </message>
    <!-- desktop/settings/database_section.py -->
    <message>
        <source>Looks for damage, for example after a disk was full or failed. Flows keep running.</source>
        <translation>Sucht nach Schäden, etwa nachdem ein Datenträger voll war oder ausgefallen ist. Abläufe werden weiter ausgeführt.</translation>
    </message>
    <message>
        <source>Patchbay copies the database, stops running flows for a moment, and rebuilds what can be rebuilt from the data. What is lost can only come from a backup.</source>
        <translation>Patchbay kopiert die Datenbank, führt kurz keine Abläufe aus und stellt aus den Daten wieder her, was möglich ist. Was verloren ist, lässt sich nur aus einer Sicherung wiederherstellen.</translation>
    </message>
    <message>
        <source>Check database</source>
        <translation>Datenbank prüfen</translation>
    </message>
    <message>
        <source>Repair…</source>
        <translation>Reparieren…</translation>
    </message>
    <message>
        <source>Repair the database?</source>
        <translation>Datenbank reparieren?</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>Reparieren</translation>
    </message>
    <message>
        <source>Database</source>
        <translation>Datenbank</translation>
    </message>
    <message numerus="yes">
        <source>{problems}; and {n} more</source>
        <extracomment>{problems}; and {n} more</extracomment>
        <translation><numerusform>{problems}; und {n} weiteres</numerusform><numerusform>{problems}; und {n} weitere</numerusform></translation>
    </message>
    <message>
        <source>The database is damaged</source>
        <translation>Die Datenbank ist beschädigt</translation>
    </message>
    <message>
        <source>The database is intact</source>
        <translation>Die Datenbank ist intakt</translation>
    </message>
    <!-- desktop/settings/engine_page.py -->
    <message>
        <source>Rate limits for all connections of an app together. Steps over the limit wait. You can set limits for single connections in My Apps.</source>
        <translation>Ratenbegrenzungen für alle Verbindungen einer App zusammen. Schritte darüber warten. Grenzen für einzelne Verbindungen gibt es unter „Meine Apps“.</translation>
    </message>
    <message>
        <source>Reset the engine settings?</source>
        <translation>Einstellungen der Engine zurücksetzen?</translation>
    </message>
    <message>
        <source>All limits on this page get their defaults. Your rate limits of apps are removed, and steps can't use the allowed folders and programs any more. Executions beyond the default retention are deleted. This can't be undone.</source>
        <translation>Alle Grenzen auf dieser Seite erhalten ihre Standardwerte. Eigene Ratenbegrenzungen von Apps werden entfernt, und Schritte können die erlaubten Ordner und Programme nicht mehr verwenden. Ausführungen, die älter als die Standardaufbewahrung sind, werden gelöscht. Das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>Programs can use the network</source>
        <translation>Programme dürfen das Netzwerk nutzen</translation>
    </message>
    <message>
        <source>Only for steps that need it. They can then reach everything this computer can reach, including its own services.</source>
        <translation>Nur für Schritte, die es brauchen. Sie erreichen dann alles, was dieser Computer erreicht, auch seine eigenen Dienste.</translation>
    </message>
    <message>
        <source>For all flows together; further runs are queued.</source>
        <translation>Für alle Abläufe zusammen; weitere Läufe kommen in die Warteschlange.</translation>
    </message>
    <message>
        <source>The oldest are deleted first, failures last.</source>
        <translation>Die ältesten werden zuerst gelöscht, Fehler zuletzt.</translation>
    </message>
    <message>
        <source>Counted from when they finish.</source>
        <translation>Ab ihrem Ende gerechnet.</translation>
    </message>
    <message>
        <source>Unfinished executions are never deleted.</source>
        <translation>Offene Ausführungen werden nie gelöscht.</translation>
    </message>
    <message>
        <source>Stops flows that trigger each other endlessly.</source>
        <translation>Beendet Abläufe, die sich endlos gegenseitig auslösen.</translation>
    </message>
    <message>
        <source>Loops over longer lists fail.</source>
        <translation>Schleifen über längere Listen schlagen fehl.</translation>
    </message>
    <message>
        <source>Larger requests are rejected and logged.</source>
        <translation>Größere Anfragen werden abgelehnt und protokolliert.</translation>
    </message>
    <message>
        <source>The longest wait an app can ask for.</source>
        <translation>Längste Wartezeit, die eine App verlangen kann.</translation>
    </message>
    <message numerus="yes">
        <source>{n} day</source>
        <extracomment>{n} days</extracomment>
        <translation><numerusform>{n} Tag</numerusform><numerusform>{n} Tage</numerusform></translation>
    </message>
    <message>
        <source>{n} MB</source>
        <translation>{n} MB</translation>
    </message>
    <message>
        <source>Programs are not isolated; only admins can run them. {detail}</source>
        <translation>Programme sind nicht isoliert; nur Admins können sie ausführen. {detail}</translation>
    </message>
    <message>
        <source>Each program runs under bubblewrap with its own user namespace.</source>
        <translation>Jedes Programm läuft unter Bubblewrap mit eigenem Benutzer-Namensraum.</translation>
    </message>
    <message>
        <source>Each program runs under bubblewrap with its own user ID.</source>
        <translation>Jedes Programm läuft unter Bubblewrap mit eigener Benutzer-ID.</translation>
    </message>
    <message>
        <source>Bubblewrap isn't installed. Install the package “bubblewrap” and restart Patchbay.</source>
        <translation>Bubblewrap ist nicht installiert. Nach der Installation des Pakets „bubblewrap“ Patchbay neu starten.</translation>
    </message>
    <message>
        <source>1 minute</source>
        <translation>1 Minute</translation>
    </message>
    <message>
        <source>5 minutes</source>
        <translation>5 Minuten</translation>
    </message>
    <message>
        <source>15 minutes</source>
        <translation>15 Minuten</translation>
    </message>
    <message>
        <source>1 hour</source>
        <translation>1 Stunde</translation>
    </message>
    <message>
        <source>6 hours</source>
        <translation>6 Stunden</translation>
    </message>
    <message>
        <source>1 day</source>
        <translation>1 Tag</translation>
    </message>
    <message>
        <source>7 days</source>
        <translation>7 Tage</translation>
    </message>
    <message>
        <source>30 days</source>
        <translation>30 Tage</translation>
    </message>
    <message>
        <source>90 days</source>
        <translation>90 Tage</translation>
    </message>
    <message>
        <source>180 days</source>
        <translation>180 Tage</translation>
    </message>
    <message>
        <source>1 year</source>
        <translation>1 Jahr</translation>
    </message>
    <message>
        <source>2 years</source>
        <translation>2 Jahre</translation>
    </message>
    <message>
        <source>10 years</source>
        <translation>10 Jahre</translation>
    </message>
    <message>
        <source>Forever</source>
        <translation>Unbegrenzt</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>Unbegrenzt</translation>
    </message>
    <message>
        <source>Programs are isolated. {detail}</source>
        <translation>Programme sind isoliert. {detail}</translation>
    </message>
    <message>
        <source>Add rate limit…</source>
        <translation>Begrenzung hinzufügen…</translation>
    </message>
    <message>
        <source>Change the rate limit of {app}</source>
        <translation>Ratenbegrenzung von {app} ändern</translation>
    </message>
    <message>
        <source>Remove the rate limit of {app}</source>
        <translation>Ratenbegrenzung von {app} entfernen</translation>
    </message>
    <message>
        <source>Max. executions to keep</source>
        <translation>Max. Ausführungen im Verlauf</translation>
    </message>
    <message>
        <source>Keep successes for</source>
        <translation>Erfolge aufbewahren</translation>
    </message>
    <message>
        <source>Keep failures for</source>
        <translation>Fehler aufbewahren</translation>
    </message>
    <message>
        <source>Max. runs from one start</source>
        <translation>Max. Läufe je Start</translation>
    </message>
    <message>
        <source>Max. items per loop</source>
        <translation>Max. Elemente je Schleife</translation>
    </message>
    <message>
        <source>Max. webhook body</source>
        <translation>Max. Größe von Webhooks</translation>
    </message>
    <message>
        <source>Max. wait for rate limits</source>
        <translation>Max. Warten bei Ratenbegrenzung</translation>
    </message>
    <message>
        <source>Reset page…</source>
        <translation>Seite zurücksetzen…</translation>
    </message>
    <message>
        <source>Clean up now</source>
        <translation>Jetzt aufräumen</translation>
    </message>
    <message>
        <source>Engine</source>
        <comment>section of the settings</comment>
        <translation>Engine</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Rate limits</source>
        <translation>Ratenbegrenzungen</translation>
    </message>
    <message>
        <source>Every app already has a rate limit.</source>
        <translation>Jede App hat bereits eine Ratenbegrenzung.</translation>
    </message>
    <message>
        <source>Code steps</source>
        <translation>Code-Schritte</translation>
    </message>
    <message>
        <source>Disk usage</source>
        <translation>Speicherplatz</translation>
    </message>
    <message>
        <source>Shorten history retention?</source>
        <translation>Aufbewahrung des Verlaufs verkürzen?</translation>
    </message>
    <message>
        <source>Older executions, and those over the limit, are deleted now and every hour from then on. This can't be undone.</source>
        <translation>Ältere Ausführungen und solche über der Grenze werden jetzt und danach stündlich gelöscht. Das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>Shorten</source>
        <translation>Verkürzen</translation>
    </message>
    <message>
        <source>This workspace's engine runs elsewhere</source>
        <translation>Die Engine dieses Arbeitsbereichs läuft anderswo</translation>
    </message>
    <message>
        <source>This page has its defaults.</source>
        <translation>Diese Seite hat ihre Standardwerte.</translation>
    </message>
    <message>
        <source>Saved.</source>
        <translation>Gespeichert.</translation>
    </message>
    <message numerus="yes">
        <source>{n} second</source>
        <extracomment>{n} seconds</extracomment>
        <translation><numerusform>{n} Sekunde</numerusform><numerusform>{n} Sekunden</numerusform></translation>
    </message>
    <message>
        <source>Checking disk usage…</source>
        <translation>Speicherplatz wird ermittelt…</translation>
    </message>
    <message>
        <source>Cleaning up</source>
        <translation>Wird aufgeräumt</translation>
    </message>
    <message>
        <source>The size of the history isn't known yet.</source>
        <translation>Die Größe des Verlaufs ist noch nicht bekannt.</translation>
    </message>
    <!-- desktop/settings/form_dialog.py -->
    <message>
        <source>Done</source>
        <comment>button</comment>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Not copied yet</source>
        <translation>Noch nicht kopiert</translation>
    </message>
    <message>
        <source>Close without copying</source>
        <translation>Ohne Kopieren schließen</translation>
    </message>
    <!-- desktop/settings/general_page.py -->
    <message>
        <source>When the window is closed</source>
        <translation>Beim Schließen des Fensters</translation>
    </message>
    <message>
        <source>In the background, Patchbay shows an icon in the system tray. Click it to open the window.</source>
        <translation>Im Hintergrund zeigt Patchbay ein Symbol im Infobereich. Ein Klick darauf öffnet das Fenster.</translation>
    </message>
    <message>
        <source>This desktop has no system tray. To get the window back from the background, start Patchbay again.</source>
        <translation>Diese Arbeitsumgebung hat keinen Infobereich. Um das Fenster aus dem Hintergrund zurückzuholen, Patchbay erneut starten.</translation>
    </message>
    <message>
        <source>Start at login</source>
        <translation>Bei der Anmeldung starten</translation>
    </message>
    <message>
        <source>Starts Patchbay in the background, without a window, when you sign in to this computer, so that its published flows run.</source>
        <translation>Startet Patchbay bei der Anmeldung an diesem Computer im Hintergrund, ohne Fenster, damit seine veröffentlichten Abläufe ausgeführt werden.</translation>
    </message>
    <message>
        <source>Ask once</source>
        <translation>Einmal fragen</translation>
    </message>
    <message>
        <source>Keep flows running in the background</source>
        <translation>Abläufe im Hintergrund weiter ausführen</translation>
    </message>
    <message>
        <source>Quit</source>
        <comment>end the program</comment>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Applies while this window runs published flows on this computer. Otherwise, closing the window quits Patchbay. {keys} always quits.</source>
        <translation>Gilt, solange dieses Fenster veröffentlichte Abläufe dieses Computers ausführt. Sonst beendet das Schließen des Fensters Patchbay. {keys} beendet immer.</translation>
    </message>
    <!-- desktop/settings/hosting_page.py -->
    <message>
        <source>Keeps flows and connections from calling this computer, private and link-local addresses, and cloud metadata. A flow that an admin published counts as an admin's.</source>
        <translation>Hindert Abläufe und Verbindungen daran, diesen Computer, private und Link-lokale Adressen und Cloud-Metadaten aufzurufen. Ein Ablauf, den ein Admin veröffentlicht hat, zählt als dessen Ablauf.</translation>
    </message>
    <message>
        <source>Separate entries with commas: nas.example.lan, *.example.lan, 10.1.0.0/16, 10.1.2.3:8080.</source>
        <translation>Einträge mit Kommas trennen: nas.example.lan, *.example.lan, 10.1.0.0/16, 10.1.2.3:8080.</translation>
    </message>
    <message>
        <source>The URL others use to reach this workspace, for example through a proxy or tunnel. Webhook addresses, browser sign-ins, and invitations use it. Leave empty to use the address above.</source>
        <translation>Die URL, unter der andere diesen Arbeitsbereich erreichen, etwa über einen Proxy oder Tunnel. Webhook-Adressen, Anmeldungen im Browser und Einladungen verwenden sie. Leer lassen, um die Adresse oben zu verwenden.</translation>
    </message>
    <message>
        <source>To set up OAuth sign-in, enter this URL in the app's developer console.</source>
        <translation>Für die Anmeldung über OAuth diese URL in der Entwicklerkonsole der App eintragen.</translation>
    </message>
    <message>
        <source>You always see the invitation link. With a mail connection, it's also sent by email.</source>
        <translation>Der Einladungslink wird immer angezeigt. Mit einer Mail-Verbindung wird er auch per E-Mail gesendet.</translation>
    </message>
    <message>
        <source>There's no listener while only this window is open. Run “patchbay serve” to start the server.</source>
        <translation>Solange nur dieses Fenster geöffnet ist, nimmt nichts Anfragen an. „patchbay serve“ startet den Server.</translation>
    </message>
    <message>
        <source>Block for everyone but admins while others can reach this server</source>
        <translation>Für alle außer Admins sperren, solange andere diesen Server erreichen</translation>
    </message>
    <message>
        <source>Block for everyone but admins</source>
        <translation>Für alle außer Admins sperren</translation>
    </message>
    <message>
        <source>Block for everyone</source>
        <translation>Für alle sperren</translation>
    </message>
    <message>
        <source>Don't block</source>
        <translation>Nicht sperren</translation>
    </message>
    <message>
        <source>Requests to this address reach Patchbay</source>
        <translation>Anfragen an diese Adresse erreichen Patchbay</translation>
    </message>
    <message>
        <source>Some requests to this address don't reach Patchbay</source>
        <translation>Manche Anfragen an diese Adresse erreichen Patchbay nicht</translation>
    </message>
    <message>
        <source>Opens in the browser</source>
        <translation>Öffnet sich im Browser</translation>
    </message>
    <message>
        <source>{name} reachable: {result}</source>
        <translation>{name} erreichbar: {result}</translation>
    </message>
    <message>
        <source>{name} not reachable: {result}</source>
        <translation>{name} nicht erreichbar: {result}</translation>
    </message>
    <message>
        <source>Outgoing addresses</source>
        <translation>Ausgehende Adressen</translation>
    </message>
    <message>
        <source>Always allowed addresses</source>
        <translation>Immer erlaubte Adressen</translation>
    </message>
    <message>
        <source>Always allowed</source>
        <translation>Immer erlaubt</translation>
    </message>
    <message>
        <source>listening address</source>
        <translation>Empfangsadresse</translation>
    </message>
    <message>
        <source>redirect address</source>
        <translation>Weiterleitungsadresse</translation>
    </message>
    <message>
        <source>webhook base URL</source>
        <translation>Basis-URL der Webhooks</translation>
    </message>
    <message>
        <source>Invitations</source>
        <translation>Einladungen</translation>
    </message>
    <message>
        <source>Server</source>
        <comment>section of the settings</comment>
        <translation>Server</translation>
    </message>
    <message>
        <source>Listening on</source>
        <translation>Empfängt auf</translation>
    </message>
    <message>
        <source>Public address</source>
        <translation>Öffentliche Adresse</translation>
    </message>
    <message>
        <source>OAuth redirect URL</source>
        <translation>OAuth-Weiterleitungs-URL</translation>
    </message>
    <message>
        <source>Webhook base URL</source>
        <translation>Basis-URL der Webhooks</translation>
    </message>
    <message>
        <source>There are no changes to save.</source>
        <translation>Es gibt keine Änderungen zum Speichern.</translation>
    </message>
    <message>
        <source>The changes are being saved.</source>
        <translation>Die Änderungen werden gespeichert.</translation>
    </message>
    <message>
        <source>Documentation</source>
        <translation>Dokumentation</translation>
    </message>
    <message>
        <source>OpenAPI</source>
        <translation>OpenAPI</translation>
    </message>
    <message>
        <source>Only show the link</source>
        <translation>Nur den Link anzeigen</translation>
    </message>
    <message>
        <source>Send with “{name}”</source>
        <translation>Mit „{name}“ senden</translation>
    </message>
    <message>
        <source>Wait for the test to end.</source>
        <translation>Das Ende des Tests abwarten.</translation>
    </message>
    <message>
        <source>This workspace isn't listening for requests, so its address can't be tested.</source>
        <translation>Dieser Arbeitsbereich nimmt keine Anfragen an, daher lässt sich seine Adresse nicht testen.</translation>
    </message>
    <message>
        <source>The public address can't be set here</source>
        <translation>Die öffentliche Adresse lässt sich hier nicht festlegen</translation>
    </message>
    <message>
        <source>Send with a deleted connection</source>
        <translation>Mit einer gelöschten Verbindung senden</translation>
    </message>
    <message>
        <source>Connect Mail (SMTP) in My Apps first.</source>
        <translation>Zuerst unter „Meine Apps“ Mail (SMTP) verbinden.</translation>
    </message>
    <!-- desktop/settings/language_page.py -->
    <message>
        <source>Dates, numbers, and the first day of the week. Example: {date}, {time}; {number}; {day}.</source>
        <translation>Datum, Zahlen und erster Tag der Woche. Beispiel: {date}, {time}; {number}; {day}.</translation>
    </message>
    <message>
        <source>The language of this window. Names from apps and servers aren't translated.</source>
        <translation>Die Sprache dieses Fensters. Namen aus Apps und von Servern werden nicht übersetzt.</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Formats</source>
        <translation>Formate</translation>
    </message>
    <message>
        <source>Used from the next start of Patchbay.</source>
        <translation>Gilt ab dem nächsten Start von Patchbay.</translation>
    </message>
    <message>
        <source>Follow system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Follow language</source>
        <translation>Wie die Sprache</translation>
    </message>
    <!-- desktop/settings/licences.py -->
    <message>
        <source>see the library</source>
        <translation>siehe Bibliothek</translation>
    </message>
    <!-- desktop/settings/notifications_page.py -->
    <message>
        <source>When a flow fails</source>
        <translation>Wenn ein Ablauf fehlschlägt</translation>
    </message>
    <message>
        <source>“First failure” notifies you when a flow fails after it succeeded, and not again until it succeeds. You're always notified of paused flows, and of connections and backups that stop working.</source>
        <translation>„Erster Fehler“ benachrichtigt, wenn ein Ablauf nach einem Erfolg fehlschlägt, und danach erst wieder nach dem nächsten Erfolg. Über pausierte Abläufe sowie Verbindungen und Sicherungen, die nicht mehr funktionieren, wird immer benachrichtigt.</translation>
    </message>
    <message>
        <source>Flows with their own setting</source>
        <translation>Abläufe mit eigener Einstellung</translation>
    </message>
    <message>
        <source>To add one, choose “Notifications” in a flow's menu.</source>
        <translation>Hinzufügen: im Menü eines Ablaufs „Benachrichtigungen“ wählen.</translation>
    </message>
    <message>
        <source>Quiet hours</source>
        <translation>Ruhezeiten</translation>
    </message>
    <message>
        <source>Notifications during quiet hours are combined into one when they end.</source>
        <translation>Benachrichtigungen aus den Ruhezeiten werden an ihrem Ende zu einer zusammengefasst.</translation>
    </message>
    <message>
        <source>Quiet hours from</source>
        <translation>Ruhezeiten von</translation>
    </message>
    <message>
        <source>Quiet hours to</source>
        <translation>Ruhezeiten bis</translation>
    </message>
    <message>
        <source>Quiet hours begin on</source>
        <translation>Ruhezeiten beginnen am</translation>
    </message>
    <message>
        <source>No notifications from {begin} to {end}.</source>
        <translation>Keine Benachrichtigungen von {begin} bis {end}.</translation>
    </message>
    <message>
        <source>Choose a day; there are no quiet hours now.</source>
        <translation>Einen Tag auswählen; derzeit gibt es keine Ruhezeiten.</translation>
    </message>
    <message>
        <source>No notifications from {begin} to {end} on the next day.</source>
        <translation>Keine Benachrichtigungen von {begin} bis {end} am nächsten Tag.</translation>
    </message>
    <message>
        <source>Notifications</source>
        <comment>section of the settings</comment>
        <translation>Benachrichtigungen</translation>
    </message>
    <message>
        <source>When “{name}” fails</source>
        <translation>Wenn „{name}“ fehlschlägt</translation>
    </message>
    <message>
        <source>Use the setting of all flows for “{name}”</source>
        <translation>Für „{name}“ die Einstellung aller Abläufe verwenden</translation>
    </message>
    <!-- desktop/settings/pages.py -->
    <message>
        <source>Connections are tested at start-up and then at this interval. You're notified when one stops working.</source>
        <translation>Verbindungen werden beim Start und danach in diesem Abstand getestet. Funktioniert eine nicht mehr, gibt es eine Benachrichtigung.</translation>
    </message>
    <message>
        <source>“Follow system” changes with the system, for example at night.</source>
        <translation>„Wie das System“ wechselt mit dem System, etwa nachts.</translation>
    </message>
    <message>
        <source>Every hour</source>
        <translation>Stündlich</translation>
    </message>
    <message>
        <source>Every 6 hours</source>
        <translation>Alle 6 Stunden</translation>
    </message>
    <message>
        <source>Once a day</source>
        <translation>Einmal am Tag</translation>
    </message>
    <message>
        <source>Light</source>
        <comment>colours</comment>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <comment>colours</comment>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Automatic</source>
        <comment>font</comment>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>The system's font</source>
        <translation>Schrift des Systems</translation>
    </message>
    <message>
        <source>“Automatic” uses the system font, or Inter if there's no suitable one.</source>
        <translation>„Automatisch“ verwendet die Schrift des Systems, oder Inter, wenn keine geeignete vorhanden ist.</translation>
    </message>
    <message>
        <source>Workflow automation on your own computer. Apache License 2.0.</source>
        <translation>Automatisierung von Abläufen auf dem eigenen Computer. Apache License 2.0.</translation>
    </message>
    <message>
        <source>Test connections</source>
        <translation>Verbindungen testen</translation>
    </message>
    <message>
        <source>The server decides how often it tests connections. The demo never does.</source>
        <translation>Der Server entscheidet, wie oft er Verbindungen testet. Die Demo testet sie nie.</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Font</source>
        <translation>Schrift</translation>
    </message>
    <message>
        <source>Copy versions</source>
        <translation>Versionen kopieren</translation>
    </message>
    <message>
        <source>Open a workspace to see its engine settings.</source>
        <translation>Einen Arbeitsbereich öffnen, um die Einstellungen der Engine zu sehen.</translation>
    </message>
    <message>
        <source>Open a workspace to see where its credentials are stored.</source>
        <translation>Einen Arbeitsbereich öffnen, um den Speicherort der Zugangsdaten zu sehen.</translation>
    </message>
    <message>
        <source>Open a workspace to see its addresses.</source>
        <translation>Einen Arbeitsbereich öffnen, um seine Adressen zu sehen.</translation>
    </message>
    <message>
        <source>Open a workspace to see its people.</source>
        <translation>Einen Arbeitsbereich öffnen, um seine Personen zu sehen.</translation>
    </message>
    <message>
        <source>Open a workspace to see its API keys.</source>
        <translation>Einen Arbeitsbereich öffnen, um seine API-Schlüssel zu sehen.</translation>
    </message>
    <message>
        <source>Open a workspace to see its audit log.</source>
        <translation>Einen Arbeitsbereich öffnen, um sein Prüfprotokoll zu sehen.</translation>
    </message>
    <message>
        <source>Built with</source>
        <translation>Verwendete Bibliotheken</translation>
    </message>
    <message>
        <source>Every {n} hours</source>
        <translation>Alle {n} Stunden</translation>
    </message>
    <!-- desktop/settings/people_page.py -->
    <message>
        <source>Everyone has their own flows, folders, and connections. Only admins can see other people's.</source>
        <translation>Alle haben ihre eigenen Abläufe, Ordner und Verbindungen. Nur Admins können die der anderen sehen.</translation>
    </message>
    <message>
        <source>A workspace needs at least one admin.</source>
        <translation>Ein Arbeitsbereich braucht mindestens einen Admin.</translation>
    </message>
    <message>
        <source>You're the only one here. People you invite get a link that's valid for 72 hours and gives them their own API key, so they can open this workspace from their computer or a script.</source>
        <translation>Bisher ist sonst niemand hier. Eingeladene Personen erhalten einen Link, der 72 Stunden gilt, und damit einen eigenen API-Schlüssel, mit dem sie diesen Arbeitsbereich von ihrem Computer oder einem Skript aus öffnen können.</translation>
    </message>
    <message>
        <source>Anyone with this link can join as {name}. It works once.</source>
        <translation>Wer diesen Link hat, kann als {name} beitreten. Er gilt einmal.</translation>
    </message>
    <message>
        <source>Share it with {email} yourself. You won't see it again.</source>
        <translation>Den Link selbst an {email} weitergeben. Er wird nicht erneut angezeigt.</translation>
    </message>
    <message numerus="yes">
        <source>Their API key {names} stops working immediately.</source>
        <extracomment>Their {n} API keys ({names}) stop working immediately.</extracomment>
        <translation><numerusform>Der API-Schlüssel {names} funktioniert sofort nicht mehr.</numerusform><numerusform>Die {n} API-Schlüssel ({names}) funktionieren sofort nicht mehr.</numerusform></translation>
    </message>
    <message>
        <source>Expires {date}, {time}.</source>
        <translation>Läuft ab: {date}, {time}.</translation>
    </message>
    <message>
        <source>Invitation for {name} created</source>
        <translation>Einladung für {name} erstellt</translation>
    </message>
    <message>
        <source>Sent to {email}</source>
        <translation>Gesendet an {email}</translation>
    </message>
    <message>
        <source>Share the link yourself. You won't see it again.</source>
        <translation>Den Link selbst weitergeben. Er wird nicht erneut angezeigt.</translation>
    </message>
    <message>
        <source>Copy the link now</source>
        <translation>Jetzt den Link kopieren</translation>
    </message>
    <message>
        <source>The link sent to {email} stops working.</source>
        <translation>Der an {email} gesendete Link funktioniert dann nicht mehr.</translation>
    </message>
    <message>
        <source>{names} and others</source>
        <translation>{names} und andere</translation>
    </message>
    <message numerus="yes">
        <source>And {n} more. Type part of a name above.</source>
        <extracomment>And {n} more. Type part of a name above.</extracomment>
        <translation><numerusform>Und {n} weitere Person. Oben einen Teil des Namens eingeben.</numerusform><numerusform>Und {n} weitere Personen. Oben einen Teil des Namens eingeben.</numerusform></translation>
    </message>
    <message>
        <source>No one's name or email matches.</source>
        <translation>Kein Name und keine E-Mail-Adresse passt.</translation>
    </message>
    <message>
        <source>Role</source>
        <translation>Rolle</translation>
    </message>
    <message>
        <source>The current link stops working.</source>
        <translation>Der bisherige Link funktioniert dann nicht mehr.</translation>
    </message>
    <message>
        <source>Inviting</source>
        <translation>Wird eingeladen</translation>
    </message>
    <message>
        <source>Link</source>
        <comment>of an invitation</comment>
        <translation>Link</translation>
    </message>
    <message>
        <source>You can also share the link yourself.</source>
        <translation>Der Link lässt sich auch selbst weitergeben.</translation>
    </message>
    <message>
        <source>Email not sent</source>
        <translation>E-Mail nicht gesendet</translation>
    </message>
    <message>
        <source>People</source>
        <comment>section of the settings</comment>
        <translation>Personen</translation>
    </message>
    <message>
        <source>Invite…</source>
        <translation>Einladen…</translation>
    </message>
    <message>
        <source>Filter people</source>
        <translation>Personen filtern</translation>
    </message>
    <message>
        <source>Invited</source>
        <comment>heading</comment>
        <translation>Eingeladen</translation>
    </message>
    <message>
        <source>Remove {name}?</source>
        <translation>{name} entfernen?</translation>
    </message>
    <message>
        <source>Remove</source>
        <comment>button</comment>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Revoke the invitation for {name}?</source>
        <translation>Einladung für {name} widerrufen?</translation>
    </message>
    <message>
        <source>Some actions aren't available here</source>
        <translation>Manche Aktionen sind hier nicht verfügbar</translation>
    </message>
    <message>
        <source>People can't be managed here</source>
        <translation>Personen lassen sich hier nicht verwalten</translation>
    </message>
    <message>
        <source>Role of {name}</source>
        <translation>Rolle von {name}</translation>
    </message>
    <message>
        <source>New link…</source>
        <translation>Neuer Link…</translation>
    </message>
    <message>
        <source>New link for {name}</source>
        <translation>Neuer Link für {name}</translation>
    </message>
    <message>
        <source>Revoke the invitation for {name}</source>
        <translation>Einladung für {name} widerrufen</translation>
    </message>
    <message>
        <source>“{name}”</source>
        <comment>a name in quotes</comment>
        <translation>„{name}“</translation>
    </message>
    <message>
        <source>Create new link</source>
        <translation>Neuen Link erstellen</translation>
    </message>
    <message>
        <source>Invite someone</source>
        <translation>Person einladen</translation>
    </message>
    <message>
        <source>Email address</source>
        <translation>E-Mail-Adresse</translation>
    </message>
    <message>
        <source>Create link</source>
        <translation>Link erstellen</translation>
    </message>
    <message>
        <source>Invite</source>
        <comment>button</comment>
        <translation>Einladen</translation>
    </message>
    <message>
        <source>link</source>
        <comment>of an invitation</comment>
        <translation>Link</translation>
    </message>
    <message>
        <source>You won't be able to see this link again. You can create a new one from the list.</source>
        <translation>Dieser Link wird nicht erneut angezeigt. In der Liste lässt sich ein neuer erstellen.</translation>
    </message>
    <message>
        <source>Loading people…</source>
        <translation>Personen werden geladen…</translation>
    </message>
    <message>
        <source>People aren't available here</source>
        <translation>Personen sind hier nicht verfügbar</translation>
    </message>
    <!-- desktop/settings/reset_bar.py -->
    <message>
        <source>The defaults are restored.</source>
        <translation>Die Standardwerte sind wiederhergestellt.</translation>
    </message>
    <message>
        <source>Reset page</source>
        <translation>Seite zurücksetzen</translation>
    </message>
    <message>
        <source>Undo reset</source>
        <translation>Zurücksetzen rückgängig machen</translation>
    </message>
    <!-- desktop/settings/restore_dialog.py -->
    <message>
        <source>Backups (*.patchbay);;All files (*)</source>
        <translation>Sicherungen (*.patchbay);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Patchbay checks the backup first and shows what it contains. Flows stop while it's restored. The current database is kept in the data folder under another name.</source>
        <translation>Patchbay prüft die Sicherung zuerst und zeigt ihren Inhalt. Während der Wiederherstellung halten die Abläufe an. Die aktuelle Datenbank bleibt unter anderem Namen im Datenordner.</translation>
    </message>
    <message>
        <source>The backup from {time} is intact ({size})</source>
        <translation>Die Sicherung von {time} ist intakt ({size})</translation>
    </message>
    <message>
        <source>Contents: {contents}. Restoring it replaces the flows, connections, executions, and settings that you have now.</source>
        <translation>Inhalt: {contents}. Die aktuellen Abläufe, Verbindungen, Ausführungen und Einstellungen werden dadurch ersetzt.</translation>
    </message>
    <message>
        <source>Restore a backup</source>
        <translation>Sicherung wiederherstellen</translation>
    </message>
    <message>
        <source>/path/to/backup.patchbay</source>
        <translation>/Pfad/zur/Sicherung.patchbay</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Auswählen…</translation>
    </message>
    <message>
        <source>Backup</source>
        <comment>file</comment>
        <translation>Sicherung</translation>
    </message>
    <message>
        <source>Check backup</source>
        <translation>Sicherung prüfen</translation>
    </message>
    <message>
        <source>Restore</source>
        <comment>button</comment>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Choose a file.</source>
        <translation>Eine Datei auswählen.</translation>
    </message>
    <!-- desktop/settings/search_pane.py -->
    <message>
        <source>Search settings</source>
        <translation>Einstellungen suchen</translation>
    </message>
    <message>
        <source>No setting matches.</source>
        <translation>Keine passende Einstellung.</translation>
    </message>
    <message>
        <source>Search results</source>
        <translation>Suchergebnisse</translation>
    </message>
    <message numerus="yes">
        <source>{n} setting found</source>
        <extracomment>{n} settings found</extracomment>
        <translation><numerusform>{n} Einstellung gefunden</numerusform><numerusform>{n} Einstellungen gefunden</numerusform></translation>
    </message>
    <!-- desktop/settings/secrets_page.py -->
    <message>
        <source>Credentials never appear in executions, logs, exports, or crash reports.</source>
        <translation>Zugangsdaten stehen nie in Ausführungen, Protokollen, Exporten oder Absturzberichten.</translation>
    </message>
    <message>
        <source>Connections wait until you enter its passphrase. Flows without connections run.</source>
        <translation>Verbindungen warten, bis seine Passphrase eingegeben ist. Abläufe ohne Verbindungen werden ausgeführt.</translation>
    </message>
    <message>
        <source>Another program runs the flows. Restart it with --passphrase-file to unlock the vault.</source>
        <translation>Ein anderes Programm führt die Abläufe aus. Zum Entsperren des Tresors muss es mit --passphrase-file neu gestartet werden.</translation>
    </message>
    <message>
        <source>macOS may ask in a separate window whether Patchbay can use the keychain. Enter your password there and click Always Allow. Patchbay waits for 2 minutes.</source>
        <translation>macOS fragt möglicherweise in einem eigenen Fenster, ob Patchbay den Schlüsselbund verwenden darf. Dort das Passwort eingeben und auf „Immer erlauben“ klicken. Patchbay wartet 2 Minuten.</translation>
    </message>
    <message>
        <source>The keyring may ask for its password in a separate window. Patchbay waits for 30 seconds.</source>
        <translation>Der Schlüsselbund fragt möglicherweise in einem eigenen Fenster nach seinem Passwort. Patchbay wartet 30 Sekunden.</translation>
    </message>
    <message>
        <source>Checking where credentials are stored</source>
        <translation>Speicherort der Zugangsdaten wird geprüft</translation>
    </message>
    <message>
        <source>Store credentials</source>
        <translation>Zugangsdaten speichern</translation>
    </message>
    <message>
        <source>Change encryption key…</source>
        <translation>Schlüssel ändern…</translation>
    </message>
    <message>
        <source>Discard lost credentials…</source>
        <translation>Verlorene Zugangsdaten verwerfen…</translation>
    </message>
    <message>
        <source>Change the encryption key?</source>
        <translation>Schlüssel zur Verschlüsselung ändern?</translation>
    </message>
    <message>
        <source>All credentials are re-encrypted in one step and the old key is deleted. Do this if someone may have seen the key. Earlier copies of the data folder still need the old key.</source>
        <translation>Alle Zugangsdaten werden in einem Schritt neu verschlüsselt, und der alte Schlüssel wird gelöscht. Sinnvoll, wenn jemand den Schlüssel gesehen haben könnte. Frühere Kopien des Datenordners brauchen weiter den alten Schlüssel.</translation>
    </message>
    <message>
        <source>Change key</source>
        <translation>Schlüssel ändern</translation>
    </message>
    <message numerus="yes">
        <source>Discard the credentials of {n} connection?</source>
        <extracomment>Discard the credentials of {n} connections?</extracomment>
        <translation><numerusform>Zugangsdaten von {n} Verbindung verwerfen?</numerusform><numerusform>Zugangsdaten von {n} Verbindungen verwerfen?</numerusform></translation>
    </message>
    <message>
        <source>The encryption key is missing, so saved credentials can't be decrypted. You'll have to reconnect each connection. Wait if you might still find the key (on another computer, in a backup).</source>
        <translation>Der Schlüssel zur Verschlüsselung fehlt, daher lassen sich gespeicherte Zugangsdaten nicht entschlüsseln. Jede Verbindung muss neu verbunden werden. Besser warten, wenn sich der Schlüssel noch finden könnte (auf einem anderen Computer, in einer Sicherung).</translation>
    </message>
    <message>
        <source>The server stores the credentials</source>
        <translation>Der Server speichert die Zugangsdaten</translation>
    </message>
    <message numerus="yes">
        <source>{n} connection stored.</source>
        <extracomment>{n} connections stored.</extracomment>
        <translation><numerusform>{n} Verbindung gespeichert.</numerusform><numerusform>{n} Verbindungen gespeichert.</numerusform></translation>
    </message>
    <message>
        <source>Credentials are stored securely</source>
        <translation>Zugangsdaten sind sicher gespeichert</translation>
    </message>
    <message>
        <source>The passphrase vault is locked</source>
        <translation>Der Passphrasentresor ist gesperrt</translation>
    </message>
    <message>
        <source>Moving</source>
        <comment>credentials</comment>
        <translation>Wird verschoben</translation>
    </message>
    <message>
        <source>Each one is verified before the old copy is deleted.</source>
        <translation>Alle werden geprüft, bevor die alte Kopie gelöscht wird.</translation>
    </message>
    <message>
        <source>Credentials can't be stored yet</source>
        <translation>Zugangsdaten lassen sich noch nicht speichern</translation>
    </message>
    <message>
        <source>Credentials aren't available</source>
        <translation>Zugangsdaten sind nicht verfügbar</translation>
    </message>
    <message>
        <source>Stopped waiting for the keyring</source>
        <translation>Warten auf den Schlüsselbund beendet</translation>
    </message>
    <message>
        <source>Nothing was changed.</source>
        <translation>Nichts wurde geändert.</translation>
    </message>
    <!-- desktop/settings/view_models/api_keys.py -->
    <message>
        <source>read-only</source>
        <comment>scope in a sentence</comment>
        <translation>nur lesen</translation>
    </message>
    <message>
        <source>can run flows</source>
        <comment>scope in a sentence</comment>
        <translation>kann Abläufe ausführen</translation>
    </message>
    <message>
        <source>full access</source>
        <comment>scope in a sentence</comment>
        <translation>voller Zugriff</translation>
    </message>
    <message>
        <source>Read-only</source>
        <translation>Nur lesen</translation>
    </message>
    <message>
        <source>Can view flows, executions, connections, folders, and templates.</source>
        <translation>Kann Abläufe, Ausführungen, Verbindungen, Ordner und Vorlagen ansehen.</translation>
    </message>
    <message>
        <source>Can run flows</source>
        <translation>Abläufe ausführen</translation>
    </message>
    <message>
        <source>Can also create, edit, publish, and run flows, retry executions, and add connections.</source>
        <translation>Kann außerdem Abläufe erstellen, bearbeiten, veröffentlichen und ausführen, Ausführungen wiederholen und Verbindungen hinzufügen.</translation>
    </message>
    <message>
        <source>Full access</source>
        <translation>Voller Zugriff</translation>
    </message>
    <message>
        <source>Can also manage people, API keys, and settings, and view the audit log. Anyone with this key can do everything you can.</source>
        <translation>Kann außerdem Personen, API-Schlüssel und Einstellungen verwalten und das Prüfprotokoll ansehen. Wer diesen Schlüssel hat, kann alles, was auch sein Besitzer kann.</translation>
    </message>
    <message>
        <source>“{name}” revoked.</source>
        <translation>„{name}“ widerrufen.</translation>
    </message>
    <message>
        <source>Limited to what {name} can see.</source>
        <translation>Begrenzt auf das, was {name} sehen kann.</translation>
    </message>
    <message>
        <source>An {role}'s role limits the key to “{scope}”.</source>
        <translation>Die Rolle „{role}“ begrenzt den Schlüssel auf „{scope}“.</translation>
    </message>
    <message>
        <source>A {role}'s role limits the key to “{scope}”.</source>
        <translation>Die Rolle „{role}“ begrenzt den Schlüssel auf „{scope}“.</translation>
    </message>
    <message>
        <source>a former member</source>
        <translation>ein früheres Mitglied</translation>
    </message>
    <message>
        <source>Enter what the key is for, such as “Nightly export”.</source>
        <translation>Zweck des Schlüssels eingeben, etwa „Nächtlicher Export“.</translation>
    </message>
    <!-- desktop/settings/view_models/audit_log.py -->
    <message>
        <source>flow</source>
        <comment>kind of object</comment>
        <translation>Ablauf</translation>
    </message>
    <message>
        <source>connection</source>
        <comment>kind of object</comment>
        <translation>Verbindung</translation>
    </message>
    <message>
        <source>execution</source>
        <comment>kind of object</comment>
        <translation>Ausführung</translation>
    </message>
    <message>
        <source>folder</source>
        <comment>kind of object</comment>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>template</source>
        <comment>kind of object</comment>
        <translation>Vorlage</translation>
    </message>
    <message>
        <source>app</source>
        <comment>kind of object</comment>
        <translation>App</translation>
    </message>
    <message>
        <source>person</source>
        <comment>kind of object</comment>
        <translation>Person</translation>
    </message>
    <message>
        <source>API key</source>
        <comment>kind of object</comment>
        <translation>API-Schlüssel</translation>
    </message>
    <message>
        <source>workspace</source>
        <comment>kind of object</comment>
        <translation>Arbeitsbereich</translation>
    </message>
    <message>
        <source>history</source>
        <comment>kind of object</comment>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Show the flow</source>
        <translation>Ablauf anzeigen</translation>
    </message>
    <message>
        <source>Show the connection</source>
        <translation>Verbindung anzeigen</translation>
    </message>
    <message>
        <source>Show the execution</source>
        <translation>Ausführung anzeigen</translation>
    </message>
    <message>
        <source>Show the folder</source>
        <translation>Ordner anzeigen</translation>
    </message>
    <message>
        <source>Show the template</source>
        <translation>Vorlage anzeigen</translation>
    </message>
    <message>
        <source>Show the app</source>
        <translation>App anzeigen</translation>
    </message>
    <message>
        <source>Show the person</source>
        <translation>Person anzeigen</translation>
    </message>
    <message>
        <source>Show the API key</source>
        <translation>API-Schlüssel anzeigen</translation>
    </message>
    <message>
        <source>Show the workspace</source>
        <translation>Arbeitsbereich anzeigen</translation>
    </message>
    <message>
        <source>Show the history</source>
        <translation>Verlauf anzeigen</translation>
    </message>
    <message>
        <source>Templates</source>
        <translation>Vorlagen</translation>
    </message>
    <message>
        <source>People</source>
        <translation>Personen</translation>
    </message>
    <message>
        <source>Settings and engine</source>
        <translation>Einstellungen und Engine</translation>
    </message>
    <message>
        <source>a flow</source>
        <comment>in a log entry</comment>
        <translation>Ablauf</translation>
    </message>
    <message>
        <source>a connection</source>
        <comment>in a log entry</comment>
        <translation>Verbindung</translation>
    </message>
    <message>
        <source>an execution</source>
        <comment>in a log entry</comment>
        <translation>Ausführung</translation>
    </message>
    <message>
        <source>a folder</source>
        <comment>in a log entry</comment>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>a template</source>
        <comment>in a log entry</comment>
        <translation>Vorlage</translation>
    </message>
    <message>
        <source>an app</source>
        <comment>in a log entry</comment>
        <translation>App</translation>
    </message>
    <message>
        <source>a person</source>
        <comment>in a log entry</comment>
        <translation>Person</translation>
    </message>
    <message>
        <source>an API key</source>
        <comment>in a log entry</comment>
        <translation>API-Schlüssel</translation>
    </message>
    <message>
        <source>a workspace</source>
        <comment>in a log entry</comment>
        <translation>Arbeitsbereich</translation>
    </message>
    <message>
        <source>a history</source>
        <comment>in a log entry</comment>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>created {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} erstellt</translation>
    </message>
    <message>
        <source>changed {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} geändert</translation>
    </message>
    <message>
        <source>renamed {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} umbenannt</translation>
    </message>
    <message>
        <source>moved {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} verschoben</translation>
    </message>
    <message>
        <source>deleted {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} gelöscht</translation>
    </message>
    <message>
        <source>restored {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} wiederhergestellt</translation>
    </message>
    <message>
        <source>published {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} veröffentlicht</translation>
    </message>
    <message>
        <source>unpublished {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} zurückgezogen</translation>
    </message>
    <message>
        <source>paused {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} pausiert</translation>
    </message>
    <message>
        <source>resumed {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} fortgesetzt</translation>
    </message>
    <message>
        <source>ran {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} ausgeführt</translation>
    </message>
    <message>
        <source>retried {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} wiederholt</translation>
    </message>
    <message>
        <source>ran again {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} erneut ausgeführt</translation>
    </message>
    <message>
        <source>cancelled {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} abgebrochen</translation>
    </message>
    <message>
        <source>tested {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} getestet</translation>
    </message>
    <message>
        <source>reconnected {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} neu verbunden</translation>
    </message>
    <message>
        <source>signed out of {object}</source>
        <comment>in a log entry</comment>
        <translation>{object}: abgemeldet</translation>
    </message>
    <message>
        <source>couldn't sign out of {object}</source>
        <comment>in a log entry</comment>
        <translation>{object}: Abmeldung fehlgeschlagen</translation>
    </message>
    <message>
        <source>invited {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} eingeladen</translation>
    </message>
    <message>
        <source>joined as {object}</source>
        <comment>in a log entry</comment>
        <translation>{object}: Einladung angenommen</translation>
    </message>
    <message>
        <source>cleaned up {object}</source>
        <comment>in a log entry</comment>
        <translation>{object} aufgeräumt</translation>
    </message>
    <message>
        <source>added connection {name}</source>
        <comment>in a log entry</comment>
        <translation>Verbindung {name} hinzugefügt</translation>
    </message>
    <message>
        <source>added {name}</source>
        <comment>in a log entry</comment>
        <translation>{name} hinzugefügt</translation>
    </message>
    <message>
        <source>changed name or role of {name}</source>
        <comment>in a log entry</comment>
        <translation>Name oder Rolle von {name} geändert</translation>
    </message>
    <message>
        <source>renamed {name}</source>
        <comment>in a log entry</comment>
        <translation>{name} umbenannt</translation>
    </message>
    <message>
        <source>removed {name}</source>
        <comment>in a log entry</comment>
        <translation>{name} entfernt</translation>
    </message>
    <message>
        <source>invited {name}</source>
        <comment>in a log entry</comment>
        <translation>{name} eingeladen</translation>
    </message>
    <message>
        <source>accepted the invitation</source>
        <comment>in a log entry</comment>
        <translation>Einladung angenommen</translation>
    </message>
    <message>
        <source>revoked the invitation for {name}</source>
        <comment>in a log entry</comment>
        <translation>Einladung für {name} widerrufen</translation>
    </message>
    <message>
        <source>revoked API key {name}</source>
        <comment>in a log entry</comment>
        <translation>API-Schlüssel {name} widerrufen</translation>
    </message>
    <message>
        <source>ran flow {name} manually</source>
        <comment>in a log entry</comment>
        <translation>Ablauf {name} manuell ausgeführt</translation>
    </message>
    <message>
        <source>tested a step of flow {name}</source>
        <comment>in a log entry</comment>
        <translation>Schritt von Ablauf {name} getestet</translation>
    </message>
    <message>
        <source>retried failures of flow {name}</source>
        <comment>in a log entry</comment>
        <translation>Fehlgeschlagene Ausführungen von Ablauf {name} wiederholt</translation>
    </message>
    <message>
        <source>retried an execution of {name}</source>
        <comment>in a log entry</comment>
        <translation>Ausführung von {name} wiederholt</translation>
    </message>
    <message>
        <source>ran an execution of {name} again</source>
        <comment>in a log entry</comment>
        <translation>Ausführung von {name} erneut gestartet</translation>
    </message>
    <message>
        <source>cancelled an execution of {name}</source>
        <comment>in a log entry</comment>
        <translation>Ausführung von {name} abgebrochen</translation>
    </message>
    <message>
        <source>deleted an execution of {name}</source>
        <comment>in a log entry</comment>
        <translation>Ausführung von {name} gelöscht</translation>
    </message>
    <message>
        <source>changed the settings</source>
        <comment>in a log entry</comment>
        <translation>Einstellungen geändert</translation>
    </message>
    <message>
        <source>paused all runs</source>
        <comment>in a log entry</comment>
        <translation>Alle Läufe pausiert</translation>
    </message>
    <message>
        <source>resumed all runs</source>
        <comment>in a log entry</comment>
        <translation>Alle Läufe fortgesetzt</translation>
    </message>
    <message>
        <source>cleaned up the history</source>
        <comment>in a log entry</comment>
        <translation>Verlauf aufgeräumt</translation>
    </message>
    <message>
        <source>tested the public address</source>
        <comment>in a log entry</comment>
        <translation>Öffentliche Adresse getestet</translation>
    </message>
    <message>
        <source>restored a backup</source>
        <comment>in a log entry</comment>
        <translation>Sicherung wiederhergestellt</translation>
    </message>
    <message>
        <source>retried an execution</source>
        <comment>in a log entry</comment>
        <translation>Ausführung wiederholt</translation>
    </message>
    <message>
        <source>ran an execution again</source>
        <comment>in a log entry</comment>
        <translation>Ausführung erneut gestartet</translation>
    </message>
    <message>
        <source>cancelled an execution</source>
        <comment>in a log entry</comment>
        <translation>Ausführung abgebrochen</translation>
    </message>
    <message>
        <source>ran a flow manually</source>
        <comment>in a log entry</comment>
        <translation>Ablauf manuell ausgeführt</translation>
    </message>
    <message>
        <source>revoked an invitation</source>
        <comment>in a log entry</comment>
        <translation>Einladung widerrufen</translation>
    </message>
    <message>
        <source>revoked an API key</source>
        <comment>in a log entry</comment>
        <translation>API-Schlüssel widerrufen</translation>
    </message>
    <message>
        <source>moved the credentials</source>
        <comment>in a log entry</comment>
        <translation>Zugangsdaten verschoben</translation>
    </message>
    <message>
        <source>changed the encryption key</source>
        <comment>in a log entry</comment>
        <translation>Schlüssel zur Verschlüsselung geändert</translation>
    </message>
    <message>
        <source>discarded credentials that couldn't be decrypted</source>
        <comment>in a log entry</comment>
        <translation>Nicht entschlüsselbare Zugangsdaten verworfen</translation>
    </message>
    <message>
        <source>window</source>
        <comment>who changed something</comment>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>command</source>
        <comment>who changed something</comment>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>API key</source>
        <comment>who changed something</comment>
        <translation>API-Schlüssel</translation>
    </message>
    <message>
        <source>invitation</source>
        <comment>who changed something</comment>
        <translation>Einladung</translation>
    </message>
    <message>
        <source>automatically</source>
        <comment>who changed something</comment>
        <translation>automatisch</translation>
    </message>
    <message>
        <source>{person} {action}.</source>
        <comment>a log entry</comment>
        <translation>{person}: {action}.</translation>
    </message>
    <message numerus="yes">
        <source>{n} failed execution</source>
        <extracomment>{n} failed executions</extracomment>
        <translation><numerusform>{n} fehlgeschlagene Ausführung</numerusform><numerusform>{n} fehlgeschlagene Ausführungen</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>the retry of {n} execution</source>
        <extracomment>the retry of {n} executions</extracomment>
        <translation><numerusform>Wiederholung von {n} Ausführung</numerusform><numerusform>Wiederholung von {n} Ausführungen</numerusform></translation>
    </message>
    <message>
        <source>for {name}</source>
        <comment>who changed something</comment>
        <translation>für {name}</translation>
    </message>
    <message>
        <source>from {address}</source>
        <comment>who changed something</comment>
        <translation>von {address}</translation>
    </message>
    <message>
        <source>It no longer exists.</source>
        <translation>Das gibt es nicht mehr.</translation>
    </message>
    <message>
        <source>the {name}</source>
        <comment>in a log entry</comment>
        <translation>{name}</translation>
    </message>
    <message>
        <source>the workspace</source>
        <comment>in a log entry</comment>
        <translation>Arbeitsbereich</translation>
    </message>
    <message>
        <source>“{name}” no longer exists.</source>
        <translation>„{name}“ gibt es nicht mehr.</translation>
    </message>
    <message>
        <source>This no longer exists.</source>
        <translation>Das gibt es nicht mehr.</translation>
    </message>
    <!-- desktop/settings/view_models/backups.py -->
    <message>
        <source>The backups aren't loaded yet.</source>
        <translation>Die Sicherungen sind noch nicht geladen.</translation>
    </message>
    <message>
        <source>Choose a folder first.</source>
        <translation>Zuerst einen Ordner auswählen.</translation>
    </message>
    <message>
        <source>Set a passphrase first.</source>
        <translation>Zuerst eine Passphrase festlegen.</translation>
    </message>
    <!-- desktop/settings/view_models/engine_settings.py -->
    <message>
        <source>{n} kB</source>
        <translation>{n} kB</translation>
    </message>
    <message numerus="yes">
        <source>{n} execution removed, {size} of disk space freed.</source>
        <extracomment>{n} executions removed, {size} of disk space freed.</extracomment>
        <translation><numerusform>{n} Ausführung entfernt, {size} Speicherplatz freigegeben.</numerusform><numerusform>{n} Ausführungen entfernt, {size} Speicherplatz freigegeben.</numerusform></translation>
    </message>
    <message>
        <source>{n} GB</source>
        <translation>{n} GB</translation>
    </message>
    <message>
        <source>{size} on the disk, {free} of it reusable.</source>
        <translation>{size} auf dem Datenträger, davon {free} wiederverwendbar.</translation>
    </message>
    <message>
        <source>{size} on the disk.</source>
        <translation>{size} auf dem Datenträger.</translation>
    </message>
    <message numerus="yes">
        <source>{n} execution, the oldest of {day}.</source>
        <extracomment>{n} executions, the oldest of {day}.</extracomment>
        <translation><numerusform>{n} Ausführung, die älteste von {day}.</numerusform><numerusform>{n} Ausführungen, die älteste von {day}.</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} execution.</source>
        <extracomment>{n} executions.</extracomment>
        <translation><numerusform>{n} Ausführung.</numerusform><numerusform>{n} Ausführungen.</numerusform></translation>
    </message>
    <message>
        <source>Nothing to clean up.</source>
        <translation>Nichts aufzuräumen.</translation>
    </message>
    <!-- desktop/settings/view_models/hosting.py -->
    <message>
        <source>Enter an address such as https://flows.example.org.</source>
        <translation>Eine Adresse eingeben, etwa https://flows.example.org.</translation>
    </message>
    <!-- desktop/settings/view_models/people.py -->
    <message>
        <source>Their flows are unpublished and don't run any more. Their data is kept, and admins can view it. This can't be undone.</source>
        <translation>Die Abläufe dieser Person sind dann nicht mehr veröffentlicht und werden nicht mehr ausgeführt. Die Daten bleiben erhalten, und Admins können sie ansehen. Das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>This server decides what happens to their data: Automatisch deletes their flows, connections, and folders, and erases them after 30 days. This can't be undone.</source>
        <translation>Was mit den Daten geschieht, entscheidet dieser Server: Automatisch löscht Abläufe, Verbindungen und Ordner und entfernt sie nach 30 Tagen endgültig. Das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>The email address may stay reserved: on Automatisch, it can't be invited again.</source>
        <translation>Die E-Mail-Adresse bleibt möglicherweise belegt: Bei Automatisch kann sie nicht erneut eingeladen werden.</translation>
    </message>
    <message numerus="yes">
        <source>Expires in {n} hour</source>
        <extracomment>Expires in {n} hours</extracomment>
        <translation><numerusform>Läuft in {n} Stunde ab</numerusform><numerusform>Läuft in {n} Stunden ab</numerusform></translation>
    </message>
    <message>
        <source>Invitation for {name} revoked.</source>
        <translation>Einladung für {name} widerrufen.</translation>
    </message>
    <message>
        <source>Invited</source>
        <translation>Eingeladen</translation>
    </message>
    <message>
        <source>Expires in less than 1 hour</source>
        <translation>Läuft in weniger als 1 Stunde ab</translation>
    </message>
    <message>
        <source>You can invite them again.</source>
        <translation>Eine neue Einladung ist jederzeit möglich.</translation>
    </message>
    <message>
        <source>{name}'s role is now {role}.</source>
        <translation>{name} hat jetzt die Rolle „{role}“.</translation>
    </message>
    <message>
        <source>{name} removed.</source>
        <translation>{name} entfernt.</translation>
    </message>
    <message>
        <source>Enter the name of the person.</source>
        <translation>Den Namen der Person eingeben.</translation>
    </message>
    <message>
        <source>Enter an email address such as dana@example.org.</source>
        <translation>Eine E-Mail-Adresse eingeben, etwa dana@example.org.</translation>
    </message>
    <message>
        <source>Choose a role.</source>
        <translation>Eine Rolle auswählen.</translation>
    </message>
    <!-- desktop/settings/view_models/role_labels.py -->
    <message>
        <source>Admin</source>
        <translation>Admin</translation>
    </message>
    <message>
        <source>Editor</source>
        <translation>Bearbeiter</translation>
    </message>
    <message>
        <source>Viewer</source>
        <translation>Betrachter</translation>
    </message>
    <message>
        <source>admin</source>
        <comment>role in a sentence</comment>
        <translation>Admin</translation>
    </message>
    <message>
        <source>editor</source>
        <comment>role in a sentence</comment>
        <translation>Bearbeiter</translation>
    </message>
    <message>
        <source>viewer</source>
        <comment>role in a sentence</comment>
        <translation>Betrachter</translation>
    </message>
    <message>
        <source>Full access to everyone's flows and connections, and to people, keys, and settings.</source>
        <translation>Voller Zugriff auf alle Abläufe und Verbindungen sowie auf Personen, Schlüssel und Einstellungen.</translation>
    </message>
    <message>
        <source>Can create and run their own flows, and manage their own connections and executions.</source>
        <translation>Kann eigene Abläufe erstellen und ausführen und eigene Verbindungen und Ausführungen verwalten.</translation>
    </message>
    <message>
        <source>Read-only access to their own flows and executions.</source>
        <translation>Nur Lesezugriff auf eigene Abläufe und Ausführungen.</translation>
    </message>
    <!-- desktop/settings/view_models/search.py -->
    <message>
        <source>Keep flows running in the background, or quit.</source>
        <translation>Abläufe im Hintergrund weiter ausführen oder beenden.</translation>
    </message>
    <message>
        <source>exit minimise tray close button</source>
        <translation>beenden minimieren infobereich tray schließen</translation>
    </message>
    <message>
        <source>Run published flows when you sign in to this computer.</source>
        <translation>Veröffentlichte Abläufe bei der Anmeldung an diesem Computer ausführen.</translation>
    </message>
    <message>
        <source>autostart boot launch startup log in</source>
        <translation>autostart hochfahren systemstart login einloggen</translation>
    </message>
    <message>
        <source>Light, dark, or as the system.</source>
        <translation>Hell, dunkel oder wie das System.</translation>
    </message>
    <message>
        <source>theme dark mode night light scheme colors</source>
        <translation>theme dunkelmodus dark mode nacht hell design farbschema</translation>
    </message>
    <message>
        <source>The font of the window.</source>
        <translation>Die Schrift des Fensters.</translation>
    </message>
    <message>
        <source>typeface text letters inter</source>
        <translation>schriftart text buchstaben inter</translation>
    </message>
    <message>
        <source>The language of the window.</source>
        <translation>Die Sprache des Fensters.</translation>
    </message>
    <message>
        <source>translation german english deutsch locale</source>
        <translation>übersetzung deutsch englisch locale</translation>
    </message>
    <message>
        <source>Dates, numbers, and the first day of the week.</source>
        <translation>Datum, Zahlen und erster Tag der Woche.</translation>
    </message>
    <message>
        <source>locale region date time number clock 24 hours week monday sunday</source>
        <translation>region datum uhrzeit zahlen woche montag sonntag 24 stunden locale</translation>
    </message>
    <message>
        <source>Further runs are queued.</source>
        <translation>Weitere Läufe kommen in die Warteschlange.</translation>
    </message>
    <message>
        <source>concurrency parallel simultaneous workers limit</source>
        <translation>parallel nebenläufigkeit gleichzeitig worker grenze limit</translation>
    </message>
    <message>
        <source>The oldest are deleted first.</source>
        <translation>Die ältesten werden zuerst gelöscht.</translation>
    </message>
    <message>
        <source>retention history size delete</source>
        <translation>aufbewahrung verlauf größe löschen</translation>
    </message>
    <message>
        <source>Older successes are deleted.</source>
        <translation>Ältere Erfolge werden gelöscht.</translation>
    </message>
    <message>
        <source>retention history days delete old executions</source>
        <translation>aufbewahrung verlauf tage löschen alte ausführungen</translation>
    </message>
    <message>
        <source>Older failures are deleted.</source>
        <translation>Ältere Fehler werden gelöscht.</translation>
    </message>
    <message>
        <source>retention history days delete old executions errors</source>
        <translation>aufbewahrung verlauf tage löschen alte ausführungen fehlschläge</translation>
    </message>
    <message>
        <source>recursion loop chain limit</source>
        <translation>rekursion schleife kette grenze limit</translation>
    </message>
    <message>
        <source>for each iteration limit</source>
        <translation>wiederholung iteration grenze limit</translation>
    </message>
    <message>
        <source>Larger requests are rejected.</source>
        <translation>Größere Anfragen werden abgelehnt.</translation>
    </message>
    <message>
        <source>payload size upload request limit</source>
        <translation>inhalt nutzdaten upload anfrage body grenze limit</translation>
    </message>
    <message>
        <source>retry after 429 throttle</source>
        <translation>retry after 429 drosseln</translation>
    </message>
    <message>
        <source>Limit the requests to an app.</source>
        <translation>Anfragen an eine App begrenzen.</translation>
    </message>
    <message>
        <source>throttle requests per minute quota</source>
        <translation>drosseln anfragen pro minute kontingent limit</translation>
    </message>
    <message>
        <source>Code steps can reach other computers.</source>
        <translation>Code-Schritte können andere Computer erreichen.</translation>
    </message>
    <message>
        <source>sandbox isolation internet python javascript code</source>
        <translation>sandbox isolation internet python javascript code</translation>
    </message>
    <message>
        <source>Steps can run it.</source>
        <translation>Schritte können es ausführen.</translation>
    </message>
    <message>
        <source>command executable script run permission</source>
        <translation>Befehl Kommando Skript Programm ausführen Erlaubnis erlauben</translation>
    </message>
    <message>
        <source>Steps can read and change its files.</source>
        <translation>Schritte können seine Dateien lesen und ändern.</translation>
    </message>
    <message>
        <source>files directory access permission</source>
        <translation>dateien verzeichnis zugriff berechtigung</translation>
    </message>
    <message>
        <source>Delete old executions and free disk space.</source>
        <translation>Alte Ausführungen löschen und Speicherplatz freigeben.</translation>
    </message>
    <message>
        <source>storage space vacuum history</source>
        <translation>speicher platz verlauf bereinigen</translation>
    </message>
    <message>
        <source>Every failure, the first one, or none.</source>
        <translation>Jeder Fehler, der erste oder keiner.</translation>
    </message>
    <message>
        <source>alert alarm message error notify</source>
        <translation>warnung alarm meldung fehlschlag benachrichtigen</translation>
    </message>
    <message>
        <source>No notifications at these times.</source>
        <translation>Zu diesen Zeiten keine Benachrichtigungen.</translation>
    </message>
    <message>
        <source>do not disturb night silence mute sleep</source>
        <translation>nicht stören nacht ruhe stumm schlaf</translation>
    </message>
    <message>
        <source>How often credentials are tested automatically.</source>
        <translation>Wie oft Zugangsdaten automatisch getestet werden.</translation>
    </message>
    <message>
        <source>check health interval expired</source>
        <translation>prüfen zustand abstand abgelaufen</translation>
    </message>
    <message>
        <source>In the system keyring or in the database.</source>
        <translation>Im Schlüsselbund des Systems oder in der Datenbank.</translation>
    </message>
    <message>
        <source>password keyring vault key encryption token</source>
        <translation>passwort schlüsselbund tresor verschlüsselung token</translation>
    </message>
    <message>
        <source>Encrypt all credentials again with a new key.</source>
        <translation>Alle Zugangsdaten mit einem neuen Schlüssel verschlüsseln.</translation>
    </message>
    <message>
        <source>rotate data key security</source>
        <translation>rotieren datenschlüssel sicherheit schlüssel</translation>
    </message>
    <message>
        <source>Where other services reach webhooks and sign-ins.</source>
        <translation>Wo andere Dienste Webhooks und Anmeldungen erreichen.</translation>
    </message>
    <message>
        <source>url domain hostname tunnel proxy webhook</source>
        <translation>url domain hostname tunnel proxy webhook</translation>
    </message>
    <message>
        <source>Which addresses flows may call.</source>
        <translation>Welche Adressen Abläufe aufrufen dürfen.</translation>
    </message>
    <message>
        <source>firewall ssrf private network block</source>
        <translation>firewall ssrf privat netzwerk sperren</translation>
    </message>
    <message>
        <source>How invitations are sent.</source>
        <translation>Wie Einladungen gesendet werden.</translation>
    </message>
    <message>
        <source>mail email smtp people</source>
        <translation>mail email e-mail smtp personen</translation>
    </message>
    <message>
        <source>Let another person use this workspace.</source>
        <translation>Eine weitere Person in diesen Arbeitsbereich einladen.</translation>
    </message>
    <message>
        <source>invite someone user team account role permission member</source>
        <translation>einladen benutzer team konto rolle berechtigung mitglied</translation>
    </message>
    <message>
        <source>Let a script or another window sign in.</source>
        <translation>Einem Skript oder anderen Fenster die Anmeldung erlauben.</translation>
    </message>
    <message>
        <source>create api key token access rest http client</source>
        <translation>api schlüssel token zugriff rest http client</translation>
    </message>
    <message>
        <source>Who changed what.</source>
        <translation>Wer was geändert hat.</translation>
    </message>
    <message>
        <source>activity history changes security</source>
        <translation>aktivität verlauf änderungen sicherheit protokoll</translation>
    </message>
    <message>
        <source>Encrypted backups on a schedule.</source>
        <translation>Verschlüsselte Sicherungen nach Zeitplan.</translation>
    </message>
    <message>
        <source>schedule automatic daily weekly save copy</source>
        <translation>zeitplan automatisch täglich wöchentlich backup kopie</translation>
    </message>
    <message>
        <source>Older ones are deleted.</source>
        <translation>Ältere werden gelöscht.</translation>
    </message>
    <message>
        <source>retention number delete old</source>
        <translation>aufbewahrung anzahl löschen alte backup</translation>
    </message>
    <message>
        <source>Where backups are stored.</source>
        <translation>Wo Sicherungen gespeichert werden.</translation>
    </message>
    <message>
        <source>backup location directory disk</source>
        <translation>backup ort verzeichnis datenträger</translation>
    </message>
    <message>
        <source>Back up immediately.</source>
        <translation>Sofort sichern.</translation>
    </message>
    <message>
        <source>export save copy</source>
        <translation>backup export speichern kopie</translation>
    </message>
    <message>
        <source>Replace the workspace with a backup.</source>
        <translation>Den Arbeitsbereich durch eine Sicherung ersetzen.</translation>
    </message>
    <message>
        <source>import recover undo</source>
        <translation>backup importieren wiederherstellung rückgängig</translation>
    </message>
    <message>
        <source>Look for damage, and repair it.</source>
        <translation>Schäden suchen und reparieren.</translation>
    </message>
    <message>
        <source>integrity corrupt repair fix</source>
        <translation>integrität beschädigt reparieren datenbank</translation>
    </message>
    <message>
        <source>Read and copy what the program logged.</source>
        <translation>Lesen und kopieren, was das Programm protokolliert hat.</translation>
    </message>
    <message>
        <source>debug messages trace support</source>
        <translation>debug meldungen fehlersuche support log</translation>
    </message>
    <message>
        <source>The version of Patchbay and its libraries.</source>
        <translation>Die Version von Patchbay und seinen Bibliotheken.</translation>
    </message>
    <message>
        <source>licence license release update</source>
        <translation>lizenz veröffentlichung update aktualisierung</translation>
    </message>
    <!-- desktop/settings/view_models/secrets.py -->
    <message>
        <source>Encrypted in the data folder, under one key</source>
        <translation>Verschlüsselt im Datenordner, mit einem Schlüssel</translation>
    </message>
    <message>
        <source>In the system keyring, one item per connection</source>
        <translation>Im Schlüsselbund des Systems, ein Eintrag je Verbindung</translation>
    </message>
    <message>
        <source>Tried again, but nothing has changed.</source>
        <translation>Erneut versucht, aber nichts hat sich geändert.</translation>
    </message>
    <!-- desktop/settings/view_models/sections.py -->
    <message>
        <source>General</source>
        <comment>section of the settings</comment>
        <translation>Allgemein</translation>
    </message>
    <message>
        <source>Appearance</source>
        <comment>section of the settings</comment>
        <translation>Darstellung</translation>
    </message>
    <message>
        <source>Language and formats</source>
        <comment>section of the settings</comment>
        <translation>Sprache und Formate</translation>
    </message>
    <message>
        <source>Connections</source>
        <comment>section of the settings</comment>
        <translation>Verbindungen</translation>
    </message>
    <message>
        <source>Secrets</source>
        <comment>section of the settings</comment>
        <translation>Geheimnisse</translation>
    </message>
    <message>
        <source>API keys</source>
        <comment>section of the settings</comment>
        <translation>API-Schlüssel</translation>
    </message>
    <message>
        <source>Audit log</source>
        <comment>section of the settings</comment>
        <translation>Prüfprotokoll</translation>
    </message>
    <message>
        <source>Data</source>
        <comment>section of the settings</comment>
        <translation>Daten</translation>
    </message>
    <message>
        <source>About</source>
        <comment>section of the settings</comment>
        <translation>Über Patchbay</translation>
    </message>
    <!-- desktop/shell/command_palette.py -->
    <message>
        <source>For the selection</source>
        <translation>Für die Auswahl</translation>
    </message>
    <message>
        <source>Actions</source>
        <comment>commands</comment>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>Not available: {reason}</source>
        <translation>Nicht verfügbar: {reason}</translation>
    </message>
    <message>
        <source>Command palette</source>
        <translation>Befehlspalette</translation>
    </message>
    <message>
        <source>Search or run a command</source>
        <translation>Suchen oder Befehl ausführen</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Ergebnisse</translation>
    </message>
    <message>
        <source>No results. Try a shorter search.</source>
        <translation>Keine Ergebnisse. Eine kürzere Suche versuchen.</translation>
    </message>
    <message>
        <source>move</source>
        <comment>the keys ↑ and ↓</comment>
        <translation>bewegen</translation>
    </message>
    <message>
        <source>run</source>
        <comment>the key Enter</comment>
        <translation>ausführen</translation>
    </message>
    <message>
        <source>Type {key} for actions only</source>
        <translation>{key} eingeben für Aktionen</translation>
    </message>
    <!-- desktop/shell/commands.py -->
    <message>
        <source>Flow, draft</source>
        <translation>Ablauf, Entwurf</translation>
    </message>
    <message>
        <source>Flow, published</source>
        <translation>Ablauf, veröffentlicht</translation>
    </message>
    <message>
        <source>Flow, paused</source>
        <translation>Ablauf, pausiert</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>Arbeitsbereich</translation>
    </message>
    <message>
        <source>Settings → Data</source>
        <translation>Einstellungen → Daten</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>Menü</translation>
    </message>
    <message>
        <source>open a workspace first</source>
        <translation>zuerst einen Arbeitsbereich öffnen</translation>
    </message>
    <message>
        <source>Filter this list</source>
        <translation>Diese Liste filtern</translation>
    </message>
    <message>
        <source>Save now</source>
        <translation>Jetzt speichern</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Back to the list or the previous tab</source>
        <translation>Zurück zur Liste oder zum vorigen Tab</translation>
    </message>
    <message>
        <source>Next part of the window</source>
        <translation>Nächster Teil des Fensters</translation>
    </message>
    <message>
        <source>Pause all runs</source>
        <translation>Alle Läufe pausieren</translation>
    </message>
    <message>
        <source>Resume all runs</source>
        <translation>Alle Läufe fortsetzen</translation>
    </message>
    <message>
        <source>Engine settings</source>
        <translation>Engine-Einstellungen</translation>
    </message>
    <message>
        <source>Create API key…</source>
        <translation>API-Schlüssel erstellen…</translation>
    </message>
    <message>
        <source>Invite someone…</source>
        <translation>Jemanden einladen…</translation>
    </message>
    <message>
        <source>Test the public address</source>
        <translation>Öffentliche Adresse testen</translation>
    </message>
    <message>
        <source>Open the demo</source>
        <translation>Demo öffnen</translation>
    </message>
    <message>
        <source>Work on this computer</source>
        <translation>Auf diesem Computer arbeiten</translation>
    </message>
    <message>
        <source>Reset demo…</source>
        <translation>Demo zurücksetzen…</translation>
    </message>
    <message>
        <source>Connect to a server…</source>
        <translation>Mit Server verbinden…</translation>
    </message>
    <message>
        <source>Light colours</source>
        <translation>Helle Farben</translation>
    </message>
    <message>
        <source>Dark colours</source>
        <translation>Dunkle Farben</translation>
    </message>
    <message>
        <source>Follow system colours</source>
        <translation>Farben des Systems</translation>
    </message>
    <message>
        <source>Where credentials are stored</source>
        <translation>Wo Zugangsdaten gespeichert sind</translation>
    </message>
    <message>
        <source>Help for this screen</source>
        <translation>Hilfe zu dieser Ansicht</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>About Patchbay</source>
        <translation>Über Patchbay</translation>
    </message>
    <message>
        <source>Context menu</source>
        <translation>Kontextmenü</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>Fenster schließen</translation>
    </message>
    <message>
        <source>Minimise the window</source>
        <translation>Fenster minimieren</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>the workspace of this computer isn't open</source>
        <translation>der Arbeitsbereich dieses Computers ist nicht geöffnet</translation>
    </message>
    <message>
        <source>nothing is stored here</source>
        <translation>hier ist nichts gespeichert</translation>
    </message>
    <message>
        <source>Open the data folder</source>
        <translation>Datenordner öffnen</translation>
    </message>
    <message>
        <source>Show the log</source>
        <translation>Protokoll anzeigen</translation>
    </message>
    <message>
        <source>Check the database</source>
        <translation>Datenbank prüfen</translation>
    </message>
    <message>
        <source>Go to {tab}</source>
        <translation>Zu „{tab}“ wechseln</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>Settings → Engine</source>
        <translation>Einstellungen → Engine</translation>
    </message>
    <message>
        <source>Settings → API keys</source>
        <translation>Einstellungen → API-Schlüssel</translation>
    </message>
    <message>
        <source>Settings → People</source>
        <translation>Einstellungen → Personen</translation>
    </message>
    <message>
        <source>Settings → Audit log</source>
        <translation>Einstellungen → Prüfprotokoll</translation>
    </message>
    <message>
        <source>Settings → Server</source>
        <translation>Einstellungen → Server</translation>
    </message>
    <message>
        <source>you're already there</source>
        <translation>bereits geöffnet</translation>
    </message>
    <message>
        <source>Settings → Secrets</source>
        <translation>Einstellungen → Geheimnisse</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Darstellung</translation>
    </message>
    <message>
        <source>the demo isn't open</source>
        <translation>die Demo ist nicht geöffnet</translation>
    </message>
    <message>
        <source>the documentation isn't installed</source>
        <translation>die Dokumentation ist nicht installiert</translation>
    </message>
    <!-- desktop/shell/desktop_forms.py -->
    <message>
        <source>The flow “{name}” asks for this. Your input is stored with the execution, so don't enter passwords.</source>
        <translation>Der Ablauf „{name}“ fragt danach. Die Eingabe wird bei der Ausführung gespeichert, deshalb keine Passwörter eingeben.</translation>
    </message>
    <message>
        <source>A flow asks for this. Your input is stored with the execution, so don't enter passwords.</source>
        <translation>Ein Ablauf fragt danach. Die Eingabe wird bei der Ausführung gespeichert, deshalb keine Passwörter eingeben.</translation>
    </message>
    <message>
        <source>Send</source>
        <comment>button of a form of a flow</comment>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Enter the number without thousands separators, such as {example}.</source>
        <translation>Die Zahl ohne Tausendertrennzeichen eingeben, etwa {example}.</translation>
    </message>
    <message>
        <source>Enter a number, such as 12 or 3.5.</source>
        <translation>Eine Zahl eingeben, etwa 12 oder 3,5.</translation>
    </message>
    <message>
        <source>The number has too many digits. With decimals, use at most 15 digits.</source>
        <translation>Die Zahl hat zu viele Ziffern. Mit Nachkommastellen höchstens 15 Ziffern eingeben.</translation>
    </message>
    <message numerus="yes">
        <source>{n} more form is waiting.</source>
        <extracomment>{n} more forms are waiting.</extracomment>
        <translation><numerusform>{n} weiteres Formular wartet.</numerusform><numerusform>{n} weitere Formulare warten.</numerusform></translation>
    </message>
    <message>
        <source>Choose one.</source>
        <translation>Eine Möglichkeit auswählen.</translation>
    </message>
    <message>
        <source>Enter a value.</source>
        <translation>Einen Wert eingeben.</translation>
    </message>
    <!-- desktop/shell/desktop_notifications.py -->
    <message>
        <source>Flow “{name}”: {title}</source>
        <translation>Ablauf „{name}“: {title}</translation>
    </message>
    <!-- desktop/shell/header.py -->
    <message>
        <source>Demo</source>
        <translation>Demo</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>Dieser Computer</translation>
    </message>
    <message>
        <source>Workspaces</source>
        <translation>Arbeitsbereiche</translation>
    </message>
    <message>
        <source>Choose a workspace</source>
        <translation>Arbeitsbereich wählen</translation>
    </message>
    <message>
        <source>Tabs</source>
        <translation>Tabs</translation>
    </message>
    <message>
        <source>Workspace: {name}</source>
        <translation>Arbeitsbereich: {name}</translation>
    </message>
    <message>
        <source>Workspace: none</source>
        <translation>Arbeitsbereich: keiner</translation>
    </message>
    <message>
        <source>Server settings…</source>
        <translation>Servereinstellungen…</translation>
    </message>
    <message>
        <source>You're in the demo. Nothing here is real. Flows on this computer don't run in this window.</source>
        <translation>Dies ist die Demo. Nichts hier ist echt. Abläufe dieses Computers laufen in diesem Fenster nicht.</translation>
    </message>
    <message>
        <source>Switch workspace</source>
        <translation>Arbeitsbereich wechseln</translation>
    </message>
    <message>
        <source>{tab}, {tooltip}</source>
        <translation>{tab}, {tooltip}</translation>
    </message>
    <!-- desktop/shell/help_window.py -->
    <message>
        <source>Patchbay help</source>
        <translation>Patchbay-Hilfe</translation>
    </message>
    <message>
        <source>Search the documentation</source>
        <translation>Dokumentation durchsuchen</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>No page contains these words.</source>
        <translation>Keine Seite enthält diese Wörter.</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>Seite</translation>
    </message>
    <!-- desktop/shell/main_window.py -->
    <message>
        <source>Reset the demo?</source>
        <translation>Demo zurücksetzen?</translation>
    </message>
    <message>
        <source>Your changes to its flows, connections, and history will be lost.</source>
        <translation>Änderungen an ihren Abläufen, Verbindungen und ihrem Verlauf gehen verloren.</translation>
    </message>
    <message>
        <source>Reset the demo</source>
        <translation>Demo zurücksetzen</translation>
    </message>
    <!-- desktop/shell/menu_bar.py -->
    <message>
        <source>File</source>
        <comment>menu</comment>
        <translation>Datei</translation>
    </message>
    <message>
        <source>View</source>
        <comment>menu</comment>
        <translation>Ansicht</translation>
    </message>
    <message>
        <source>Engine</source>
        <comment>menu</comment>
        <translation>Engine</translation>
    </message>
    <message>
        <source>Window</source>
        <comment>menu</comment>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Help</source>
        <comment>menu</comment>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Menu bar</source>
        <translation>Menüleiste</translation>
    </message>
    <!-- desktop/shell/runs_dialogs.py -->
    <message>
        <source>Patchbay stays in the system tray. Click its icon there to open the window again.</source>
        <translation>Patchbay bleibt im Infobereich. Ein Klick auf das Symbol dort öffnet das Fenster wieder.</translation>
    </message>
    <message>
        <source>This desktop has no system tray. To get the window back, start Patchbay again.</source>
        <translation>Dieser Desktop hat keinen Infobereich. Um das Fenster zurückzuholen, Patchbay erneut starten.</translation>
    </message>
    <message>
        <source>If you quit, no flow starts until you open Patchbay again. Running steps get 10 seconds to finish, and unfinished executions continue at the next start.</source>
        <translation>Nach dem Beenden startet kein Ablauf, bis Patchbay wieder geöffnet wird. Laufende Schritte haben 10 Sekunden Zeit, fertig zu werden; offene Ausführungen gehen beim nächsten Start weiter.</translation>
    </message>
    <message>
        <source>If you switch, no flow starts until you open “This computer” again. Running steps get 10 seconds to finish, and unfinished executions continue then.</source>
        <translation>Nach dem Wechsel startet kein Ablauf, bis „Dieser Computer“ wieder geöffnet wird. Laufende Schritte haben 10 Sekunden Zeit, fertig zu werden; offene Ausführungen gehen dann weiter.</translation>
    </message>
    <message>
        <source>This window doesn't respond, so it isn't known which flows it runs.</source>
        <translation>Dieses Fenster reagiert nicht, daher ist nicht bekannt, welche Abläufe es ausführt.</translation>
    </message>
    <message>
        <source>You won't be asked again. You can change this in Settings → General.</source>
        <translation>Diese Frage kommt nicht wieder. Ändern lässt sich das unter „Einstellungen → Allgemein“.</translation>
    </message>
    <message>
        <source>In a new window, “{name}” opens beside this one, and flows keep running.</source>
        <translation>In einem neuen Fenster öffnet sich „{name}“ neben diesem, und die Abläufe laufen weiter.</translation>
    </message>
    <message>
        <source>Flows on this computer stop while another workspace is open</source>
        <translation>Abläufe dieses Computers ruhen, solange ein anderer Arbeitsbereich geöffnet ist</translation>
    </message>
    <message numerus="yes">
        <source>{n} execution hasn't finished yet.</source>
        <extracomment>{n} executions haven't finished yet.</extracomment>
        <translation><numerusform>{n} Ausführung ist noch nicht beendet.</numerusform><numerusform>{n} Ausführungen sind noch nicht beendet.</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} published flow runs only while Patchbay does.</source>
        <extracomment>{n} published flows run only while Patchbay does.</extracomment>
        <translation><numerusform>{n} veröffentlichter Ablauf läuft nur, solange Patchbay läuft.</numerusform><numerusform>{n} veröffentlichte Abläufe laufen nur, solange Patchbay läuft.</numerusform></translation>
    </message>
    <message>
        <source>Keep flows running in the background?</source>
        <translation>Abläufe im Hintergrund weiter ausführen?</translation>
    </message>
    <message numerus="yes">
        <source>This window runs {n} published flow.</source>
        <extracomment>This window runs {n} published flows.</extracomment>
        <translation><numerusform>Dieses Fenster führt {n} veröffentlichten Ablauf aus.</numerusform><numerusform>Dieses Fenster führt {n} veröffentlichte Abläufe aus.</numerusform></translation>
    </message>
    <message>
        <source>Open in a new window</source>
        <translation>In neuem Fenster öffnen</translation>
    </message>
    <message>
        <source>Switch and stop flows</source>
        <translation>Wechseln, Abläufe anhalten</translation>
    </message>
    <!-- desktop/shell/server_dialog.py -->
    <message>
        <source>A PEM or DER file, for servers whose certificate was issued by your organisation.</source>
        <translation>Eine PEM- oder DER-Datei, für Server mit einem Zertifikat der eigenen Organisation.</translation>
    </message>
    <message>
        <source>Only this certificate is trusted. Leave empty to trust the same certificates as the system.</source>
        <translation>Nur diesem Zertifikat wird vertraut. Leer lassen, um denselben Zertifikaten zu vertrauen wie das System.</translation>
    </message>
    <message>
        <source>See and manage flows on a Patchbay or Automatisch server.</source>
        <translation>Abläufe auf einem Patchbay- oder Automatisch-Server sehen und verwalten.</translation>
    </message>
    <message>
        <source>Its API key is removed from the keyring, and its cached data on this computer is deleted. Nothing changes on the server.</source>
        <translation>Sein API-Schlüssel wird aus dem Schlüsselbund entfernt, und seine zwischengespeicherten Daten auf diesem Computer werden gelöscht. Auf dem Server ändert sich nichts.</translation>
    </message>
    <message>
        <source>Use system proxy</source>
        <translation>Proxy des Systems verwenden</translation>
    </message>
    <message>
        <source>No proxy</source>
        <translation>Kein Proxy</translation>
    </message>
    <message>
        <source>Custom</source>
        <comment>proxy</comment>
        <translation>Eigener</translation>
    </message>
    <message>
        <source>Create one in the server's settings. It's stored in the system keyring, never in a file.</source>
        <translation>In den Einstellungen des Servers erstellen. Er wird im Schlüsselbund des Systems gespeichert, nie in einer Datei.</translation>
    </message>
    <message>
        <source>Remove {server}?</source>
        <translation>{server} entfernen?</translation>
    </message>
    <message>
        <source>Proxy and certificates</source>
        <translation>Proxy und Zertifikate</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>Proxy</translation>
    </message>
    <message>
        <source>No file</source>
        <translation>Keine Datei</translation>
    </message>
    <message>
        <source>SHA-256 fingerprint</source>
        <translation>SHA-256-Fingerabdruck</translation>
    </message>
    <message>
        <source>Proxy address</source>
        <translation>Proxyadresse</translation>
    </message>
    <message>
        <source>Certificate authority</source>
        <translation>Zertifizierungsstelle</translation>
    </message>
    <message>
        <source>Trusted certificate</source>
        <translation>Vertrauenswürdiges Zertifikat</translation>
    </message>
    <message>
        <source>system proxy</source>
        <translation>Proxy des Systems</translation>
    </message>
    <message>
        <source>no proxy</source>
        <translation>kein Proxy</translation>
    </message>
    <message>
        <source>1 trusted certificate</source>
        <translation>1 vertrauenswürdiges Zertifikat</translation>
    </message>
    <message>
        <source>Certificates (*.pem *.crt *.cer)</source>
        <translation>Zertifikate (*.pem *.crt *.cer)</translation>
    </message>
    <message>
        <source>Connect</source>
        <comment>verb, button</comment>
        <translation>Verbinden</translation>
    </message>
    <message>
        <source>Leave empty to keep using the stored key.</source>
        <translation>Leer lassen, um den gespeicherten Schlüssel weiter zu verwenden.</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>custom proxy</source>
        <translation>eigener Proxy</translation>
    </message>
    <message>
        <source>custom authority</source>
        <comment>of certificates</comment>
        <translation>eigene Zertifizierungsstelle</translation>
    </message>
    <message>
        <source>Server settings</source>
        <translation>Servereinstellungen</translation>
    </message>
    <message>
        <source>Connect to a server</source>
        <translation>Mit einem Server verbinden</translation>
    </message>
    <message>
        <source>Remove this server</source>
        <translation>Diesen Server entfernen</translation>
    </message>
    <message>
        <source>Enter the API key.</source>
        <translation>Den API-Schlüssel eingeben.</translation>
    </message>
    <message>
        <source>Connecting</source>
        <translation>Verbindung wird hergestellt</translation>
    </message>
    <!-- desktop/shell/shortcut_sheet.py -->
    <message>
        <source>Everywhere</source>
        <translation>Überall</translation>
    </message>
    <message>
        <source>In lists</source>
        <translation>In Listen</translation>
    </message>
    <message>
        <source>In the flow editor</source>
        <translation>Im Ablaufeditor</translation>
    </message>
    <!-- desktop/shell/start_problem.py -->
    <message>
        <source>Patchbay can't start</source>
        <translation>Patchbay kann nicht starten</translation>
    </message>
    <message>
        <source>Choose another folder…</source>
        <translation>Anderen Ordner wählen…</translation>
    </message>
    <message>
        <source>Folder for Patchbay's data</source>
        <translation>Ordner für die Daten von Patchbay</translation>
    </message>
    <!-- desktop/shell/status_bar.py -->
    <message>
        <source>Show unfinished executions</source>
        <translation>Offene Ausführungen anzeigen</translation>
    </message>
    <message>
        <source>Engine settings…</source>
        <translation>Engine-Einstellungen…</translation>
    </message>
    <message>
        <source>Resuming</source>
        <translation>Wird fortgesetzt</translation>
    </message>
    <message>
        <source>Pausing</source>
        <translation>Wird pausiert</translation>
    </message>
    <message>
        <source>Engine status; pause or resume</source>
        <translation>Status der Engine; pausieren oder fortsetzen</translation>
    </message>
    <message>
        <source>No run scheduled</source>
        <translation>Kein Lauf geplant</translation>
    </message>
    <!-- desktop/shell/tray.py -->
    <message>
        <source>Open Patchbay</source>
        <translation>Patchbay öffnen</translation>
    </message>
    <message>
        <source>No run is scheduled</source>
        <translation>Es ist kein Lauf geplant</translation>
    </message>
    <!-- desktop/shell/view_models/engine_control.py -->
    <message>
        <source>Published flows run automatically.</source>
        <translation>Veröffentlichte Abläufe laufen automatisch.</translation>
    </message>
    <message>
        <source>No flow starts until you resume runs, even after a restart. Incoming webhooks are stored and run then.</source>
        <translation>Kein Ablauf startet, bis die Läufe fortgesetzt werden, auch nicht nach einem Neustart. Eingehende Webhooks werden gespeichert und dann ausgeführt.</translation>
    </message>
    <message>
        <source>Nothing runs. Reopen the workspace to start the engine.</source>
        <translation>Es läuft nichts. Den Arbeitsbereich erneut öffnen, um die Engine zu starten.</translation>
    </message>
    <message numerus="yes">
        <source>{n} execution, the oldest for {duration}</source>
        <extracomment>{n} executions, the oldest for {duration}</extracomment>
        <translation><numerusform>{n} Ausführung, seit {duration}</numerusform><numerusform>{n} Ausführungen, die älteste seit {duration}</numerusform></translation>
    </message>
    <message>
        <source>just now</source>
        <translation>gerade eben</translation>
    </message>
    <message>
        <source>Running since</source>
        <translation>Läuft seit</translation>
    </message>
    <message>
        <source>Last scheduler check</source>
        <translation>Letzte Zeitplanprüfung</translation>
    </message>
    <message>
        <source>Unfinished</source>
        <comment>executions</comment>
        <translation>Offen</translation>
    </message>
    <message>
        <source>Queued</source>
        <comment>executions</comment>
        <translation>Eingereiht</translation>
    </message>
    <message>
        <source>none (runs are paused)</source>
        <translation>keiner (Läufe sind pausiert)</translation>
    </message>
    <message>
        <source>none scheduled</source>
        <translation>keiner geplant</translation>
    </message>
    <message>
        <source>All runs paused. Incoming webhooks are stored.</source>
        <translation>Alle Läufe sind pausiert. Eingehende Webhooks werden gespeichert.</translation>
    </message>
    <message>
        <source>the workspace isn't responding</source>
        <translation>der Arbeitsbereich antwortet nicht</translation>
    </message>
    <message>
        <source>the engine is stopped</source>
        <translation>die Engine ist gestoppt</translation>
    </message>
    <message>
        <source>runs are already paused</source>
        <translation>Läufe sind bereits pausiert</translation>
    </message>
    <message>
        <source>runs aren't paused</source>
        <translation>Läufe sind nicht pausiert</translation>
    </message>
    <message>
        <source>Runs resumed.</source>
        <translation>Läufe fortgesetzt.</translation>
    </message>
    <!-- desktop/shell/view_models/taken_port.py -->
    <message>
        <source>Port {taken} is in use by another program, so webhook addresses have changed to {address}. Requests to the old address don't arrive.</source>
        <translation>Port {taken} wird von einem anderen Programm verwendet, deshalb lauten Webhook-Adressen jetzt {address}. Anfragen an die alte Adresse kommen nicht an.</translation>
    </message>
    <message>
        <source>Port {taken} is in use by another program, so webhooks use port {port}. Requests forwarded to port {taken} don't arrive.</source>
        <translation>Port {taken} wird von einem anderen Programm verwendet, deshalb nutzen Webhooks Port {port}. An Port {taken} weitergeleitete Anfragen kommen nicht an.</translation>
    </message>
    <!-- desktop/shell/view_models/vault.py -->
    <message>
        <source>Connections wait until you unlock the passphrase vault. Flows without connections run.</source>
        <translation>Verbindungen warten, bis der Passphrasentresor entsperrt ist. Abläufe ohne Verbindungen laufen.</translation>
    </message>
    <!-- desktop/shell/view_models/workspace_status.py -->
    <message>
        <source>Adding sample executions</source>
        <translation>Beispielausführungen werden hinzugefügt</translation>
    </message>
    <message>
        <source>Next run {time}, {flow}</source>
        <translation>Nächster Lauf {time}, {flow}</translation>
    </message>
    <message numerus="yes">
        <source>{n} connection needs attention</source>
        <extracomment>{n} connections need attention</extracomment>
        <translation><numerusform>{n} Verbindung mit Handlungsbedarf</numerusform><numerusform>{n} Verbindungen mit Handlungsbedarf</numerusform></translation>
    </message>
    <message>
        <source>{server} isn't responding. You're viewing data from {time} and can't make changes. Patchbay keeps trying to reconnect.</source>
        <translation>{server} antwortet nicht. Angezeigt werden Daten von {time}, Änderungen sind nicht möglich. Patchbay versucht weiter, die Verbindung herzustellen.</translation>
    </message>
    <message>
        <source>Show what failed since {time} and hasn't been retried, without tests</source>
        <translation>Anzeigen, was seit {time} fehlgeschlagen ist und nicht wiederholt wurde, ohne Tests</translation>
    </message>
    <message>
        <source>Next run {time}</source>
        <translation>Nächster Lauf {time}</translation>
    </message>
    <message>
        <source>Not responding</source>
        <translation>Keine Antwort</translation>
    </message>
    <message>
        <source>Disk problem: changes may be lost</source>
        <translation>Datenträgerproblem: Änderungen könnten verloren gehen</translation>
    </message>
    <message>
        <source>Disk problem</source>
        <translation>Datenträgerproblem</translation>
    </message>
    <message>
        <source>Paused: storing webhooks</source>
        <translation>Pausiert: Webhooks werden gespeichert</translation>
    </message>
    <message>
        <source>Paused</source>
        <comment>the engine</comment>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>“{connection}” needs attention</source>
        <translation>Handlungsbedarf bei „{connection}“</translation>
    </message>
    <message>
        <source>Reconnect</source>
        <comment>verb, button</comment>
        <translation>Neu verbinden</translation>
    </message>
    <message>
        <source>No flows are running because the program that ran them has stopped. This window runs them in a moment, unless that program starts again.</source>
        <translation>Es laufen keine Abläufe, weil das Programm, das sie ausführte, beendet wurde. Gleich führt dieses Fenster sie aus, falls das andere Programm nicht wieder startet.</translation>
    </message>
    <message>
        <source>tomorrow {time}</source>
        <translation>morgen {time}</translation>
    </message>
    <message numerus="yes">
        <source>{n} failure today</source>
        <extracomment>{n} failures today</extracomment>
        <translation><numerusform>{n} Fehler heute</numerusform><numerusform>{n} Fehler heute</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} running</source>
        <comment>executions</comment>
        <extracomment>{n} running</extracomment>
        <translation><numerusform>{n} läuft</numerusform><numerusform>{n} laufen</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} waiting</source>
        <comment>executions</comment>
        <extracomment>{n} waiting</extracomment>
        <translation><numerusform>{n} wartet</numerusform><numerusform>{n} warten</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>{n} queued</source>
        <comment>executions</comment>
        <extracomment>{n} queued</extracomment>
        <translation><numerusform>{n} eingereiht</numerusform><numerusform>{n} eingereiht</numerusform></translation>
    </message>
    <message>
        <source>{server}, offline, data from {time}</source>
        <translation>{server}, offline, Daten von {time}</translation>
    </message>
    <message>
        <source>{server}, offline</source>
        <translation>{server}, offline</translation>
    </message>
    <message>
        <source>{server}, disk problem</source>
        <translation>{server}, Speicherproblem</translation>
    </message>
    <message>
        <source>{server}, paused</source>
        <translation>{server}, pausiert</translation>
    </message>
    <message>
        <source>Its credentials are no longer valid.</source>
        <translation>Ihre Zugangsdaten sind nicht mehr gültig.</translation>
    </message>
    <message>
        <source>Engine stopped</source>
        <translation>Engine gestoppt</translation>
    </message>
    <message>
        <source>{server}, online</source>
        <translation>{server}, online</translation>
    </message>
    <message>
        <source>Demo engine running</source>
        <translation>Demo-Engine läuft</translation>
    </message>
    <message>
        <source>Engine running</source>
        <translation>Engine läuft</translation>
    </message>
    <!-- desktop/shell/welcome.py -->
    <message>
        <source>You can have several workspaces and switch between them at the top left. Patchbay sends no usage data.</source>
        <translation>Es kann mehrere Arbeitsbereiche geben; oben links lässt sich zwischen ihnen wechseln. Patchbay sendet keine Nutzungsdaten.</translation>
    </message>
    <message>
        <source>Start on this computer</source>
        <translation>Auf diesem Computer starten</translation>
    </message>
    <message>
        <source>Connect…</source>
        <translation>Verbinden…</translation>
    </message>
    <message>
        <source>Welcome to Patchbay</source>
        <translation>Willkommen bei Patchbay</translation>
    </message>
    <message>
        <source>Connect your apps and automate work between them. Where do you want to work?</source>
        <translation>Apps verbinden und die Arbeit zwischen ihnen automatisieren. Wo soll gearbeitet werden?</translation>
    </message>
    <message>
        <source>Try the demo</source>
        <translation>Demo ausprobieren</translation>
    </message>
    <message>
        <source>Sample flows and executions of a fictional company. Nothing leaves this computer.</source>
        <translation>Beispielabläufe und -ausführungen einer erfundenen Firma. Nichts verlässt diesen Computer.</translation>
    </message>
    <message>
        <source>Use this computer</source>
        <translation>Diesen Computer verwenden</translation>
    </message>
    <message>
        <source>Flows run here, while Patchbay is open or in the background.</source>
        <translation>Abläufe laufen hier, solange Patchbay geöffnet oder im Hintergrund ist.</translation>
    </message>
    <message>
        <source>Recommended</source>
        <translation>Empfohlen</translation>
    </message>
    <message>
        <source>No account, no set-up</source>
        <translation>Kein Konto, keine Einrichtung</translation>
    </message>
    <message>
        <source>Reset it at any time</source>
        <translation>Jederzeit zurücksetzbar</translation>
    </message>
    <message>
        <source>Works offline, no server needed</source>
        <translation>Funktioniert offline, ohne Server</translation>
    </message>
    <message>
        <source>Your data stays in one folder, with encrypted credentials</source>
        <translation>Alle Daten bleiben in einem Ordner, Zugangsdaten verschlüsselt</translation>
    </message>
    <message>
        <source>Webhooks need a public address</source>
        <translation>Webhooks brauchen eine öffentliche Adresse</translation>
    </message>
    <message>
        <source>You need its address and an API key</source>
        <translation>Nötig sind seine Adresse und ein API-Schlüssel</translation>
    </message>
    <message>
        <source>Flows run even when this computer is off</source>
        <translation>Abläufe laufen auch, wenn dieser Computer aus ist</translation>
    </message>
    <!-- desktop/shell/work_area.py -->
    <message>
        <source>Reloading</source>
        <translation>Wird neu geladen</translation>
    </message>
    <message>
        <source>Flows now run in this window, because the program that ran them has stopped.</source>
        <translation>Abläufe laufen jetzt in diesem Fenster, weil das Programm, das sie ausführte, beendet wurde.</translation>
    </message>
    <message numerus="yes">
        <source>{n} unseen failure</source>
        <extracomment>{n} unseen failures</extracomment>
        <translation><numerusform>{n} neuer Fehler</numerusform><numerusform>{n} neue Fehler</numerusform></translation>
    </message>
    <message>
        <source>All changes are saved. Patchbay saves them as you make them.</source>
        <translation>Alle Änderungen sind gespeichert. Patchbay speichert sie sofort.</translation>
    </message>
    <!-- desktop/templates/gallery.py -->
    <message>
        <source>This version of Patchbay can't read this template.</source>
        <translation>Diese Version von Patchbay kann diese Vorlage nicht lesen.</translation>
    </message>
    <!-- desktop/templates/preview.py -->
    <message>
        <source>Creates a draft. Nothing runs until you publish.</source>
        <translation>Erstellt einen Entwurf. Bis zur Veröffentlichung läuft nichts.</translation>
    </message>
    <message>
        <source>Built-in · {category}</source>
        <translation>Mitgeliefert · {category}</translation>
    </message>
    <message>
        <source>not connected</source>
        <translation>nicht verbunden</translation>
    </message>
    <message>
        <source>Use template</source>
        <translation>Vorlage verwenden</translation>
    </message>
    <message>
        <source>You choose the connections in the flow's steps.</source>
        <translation>Die Verbindungen werden in den Schritten des Ablaufs gewählt.</translation>
    </message>
    <message>
        <source>built-in template</source>
        <translation>mitgelieferte Vorlage</translation>
    </message>
    <message>
        <source>Required connections</source>
        <translation>Benötigte Verbindungen</translation>
    </message>
    <message>
        <source>You'll be asked for</source>
        <translation>Abgefragt wird</translation>
    </message>
    <message>
        <source>What you need</source>
        <translation>Voraussetzungen</translation>
    </message>
    <message>
        <source>Saved by you</source>
        <translation>Eigene Vorlage</translation>
    </message>
    <!-- desktop/templates/tab.py -->
    <message>
        <source>New template…</source>
        <translation>Neue Vorlage…</translation>
    </message>
    <message>
        <source>“Ready to use”: their apps are connected already, or need no connection</source>
        <translation>„Sofort nutzbar“: Ihre Apps sind schon verbunden oder brauchen keine Verbindung</translation>
    </message>
    <message>
        <source>Filter templates</source>
        <translation>Vorlagen filtern</translation>
    </message>
    <message>
        <source>New template from a flow</source>
        <translation>Neue Vorlage aus einem Ablauf</translation>
    </message>
    <message>
        <source>Connections and folders aren't saved in the template.</source>
        <translation>Verbindungen und Ordner werden nicht in der Vorlage gespeichert.</translation>
    </message>
    <message>
        <source>Save template</source>
        <translation>Vorlage speichern</translation>
    </message>
    <message>
        <source>All {n}</source>
        <translation>Alle {n}</translation>
    </message>
    <message>
        <source>Ready to use {n}</source>
        <translation>Sofort nutzbar {n}</translation>
    </message>
    <message>
        <source>Saved by you {n}</source>
        <translation>Eigene {n}</translation>
    </message>
    <message>
        <source>Show templates</source>
        <translation>Vorlagen anzeigen</translation>
    </message>
    <message>
        <source>Loading templates</source>
        <translation>Vorlagen werden geladen</translation>
    </message>
    <message>
        <source>Template name</source>
        <translation>Name der Vorlage</translation>
    </message>
    <message>
        <source>Topic</source>
        <translation>Thema</translation>
    </message>
    <message>
        <source>New</source>
        <comment>button: a template from a flow</comment>
        <translation>Neu</translation>
    </message>
    <message>
        <source>No templates here</source>
        <translation>Keine Vorlagen hier</translation>
    </message>
    <message>
        <source>There are no flows to save yet.</source>
        <translation>Es gibt noch keine Abläufe zum Speichern.</translation>
    </message>
    <message>
        <source>No matching templates</source>
        <translation>Keine passenden Vorlagen</translation>
    </message>
    <message>
        <source>No template matches all the filters.</source>
        <translation>Keine Vorlage passt zu allen Filtern.</translation>
    </message>
    <message>
        <source>No templates yet</source>
        <translation>Noch keine Vorlagen</translation>
    </message>
    <message>
        <source>A template is a starting point for new flows. Save one of your flows as a template.</source>
        <translation>Eine Vorlage ist ein Ausgangspunkt für neue Abläufe. Ein eigener Ablauf lässt sich als Vorlage speichern.</translation>
    </message>
    <!-- desktop/templates/use_dialog.py -->
    <message>
        <source>Create flow</source>
        <translation>Ablauf erstellen</translation>
    </message>
    <!-- desktop/templates/view_models/templates.py -->
    <message>
        <source>Empty step</source>
        <translation>Leerer Schritt</translation>
    </message>
    <message>
        <source>No app</source>
        <translation>Keine App</translation>
    </message>
    <message>
        <source>Template “{name}” deleted.</source>
        <translation>Vorlage „{name}“ gelöscht.</translation>
    </message>
    <message>
        <source>Template “{name}” saved.</source>
        <translation>Vorlage „{name}“ gespeichert.</translation>
    </message>
</context>
</TS>
