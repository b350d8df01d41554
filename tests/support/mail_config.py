"""How Postfix and Dovecot are set up for tests: on loopback, in one folder, for two users."""

DOVECOT = """\
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
listen = 127.0.0.1
protocols = imap lmtp
ssl = yes
ssl_cert = <{folder}/server.pem
ssl_key = <{folder}/server.key
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
verbose_proctitle = yes
first_valid_uid = 1
mail_location = maildir:~/Maildir
passdb {{
  driver = passwd-file
  args = scheme=plain {folder}/users
}}
userdb {{
  driver = static
  args = uid=mail gid=mail home={folder}/mail/%n
}}
service imap-login {{
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
    ssl = yes
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    port = {lmtp}
  }}
}}
service anvil {{
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service auth {{
  inet_listener sasl {{
    port = {sasl}
  }}
}}
"""
MAIN = """\
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/postfix.log
maillog_file_prefixes = {folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mail.{domain}
mydestination =
alias_maps =
virtual_mailbox_domains = {domain}
virtual_mailbox_maps = inline:{{ ada@{domain}=ada, grace@{domain}=grace }}
virtual_transport = lmtp:inet:127.0.0.1:{lmtp}
default_transport = error:no mail leaves this test
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:{sasl}
smtpd_recipient_restrictions = permit_sasl_authenticated, reject
smtpd_tls_security_level = may
smtpd_tls_cert_file = {folder}/server.pem
smtpd_tls_key_file = {folder}/server.key
smtpd_tls_loglevel = 0
message_size_limit = 20000000
"""
MASTER = """\
127.0.0.1:{smtp} inet n - n - - smtpd
127.0.0.1:{smtps} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
tlsmgr unix - - n 1000? 1 tlsmgr
lmtp unix - - n - - lmtp
error unix - - n - - error
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
"""
