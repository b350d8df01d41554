# Who publishes Patchbay, and the ID under which desktops and stores know it. These are placeholders until someone
# publishes it; every package takes them from here.
APP_ID=io.patchbay.Patchbay
PUBLISHER="The Patchbay developers"
MAINTAINER="The Patchbay developers <patchbay@localhost>"
export APP_ID PUBLISHER MAINTAINER
