# What is wrong before the verb, or with it.
try histree
try histree qurey
try histree frobnicate
try histree --fromat json
try histree help qurey
try histree help ls dump
