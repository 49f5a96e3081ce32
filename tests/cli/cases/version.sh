histree --version
histree -V
