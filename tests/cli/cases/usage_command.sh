# What is wrong before the verb, or with it.
try histree
try histree satets
try histree frobnicate
try histree --fromat json
try histree help vrefiy
try histree help ls dump
