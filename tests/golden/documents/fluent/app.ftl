# This file is a test.

## Menus

-brand-name = Firefox
-account =
    { $case ->
        [upper] Account
       *[lower] account
    }
    .gender = neuter

open = Open the file { $name }
    .title = Opens a file of { -brand-name }
    .accesskey = O
    .style = width: 20em

welcome =
    Welcome to <strong>{ -brand-name }</strong>! It has
    <a data-l10n-name="help">{ $pages } pages of help</a> and
    braces: { "{" }text{ "}" }.

    The second paragraph.

files = { $count ->
        [0] There are no files.
        [one] There is one file.
       *[other] There are { $count } files.
    }
sentence = You have { NUMBER($count) ->
        [one] one new message
       *[other] { $count } new messages
    } in { $place ->
        [home] your home folder
       *[other] the folder { $place }
    }.
settings = { PLATFORM() ->
        [macos] Open the preferences
       *[other] Open the options
    }
broken = { $name
