# This file is a test.

## Menus

-brand-name = Firefox
-account =
    { $case ->
        [upper] Áććóúńť
       *[lower] áććóúńť
    }
    .gender = neuter

open = Óṕéń ťḣé ḟíĺé { $name }
    .title = Óṕéńś á ḟíĺé óḟ { -brand-name }
    .accesskey = O
    .style = width: 20em

welcome =
    Ẃéĺćóḿé ťó <strong>{ -brand-name }</strong>! Íť ḣáś
    <a data-l10n-name="help">{ $pages } ṕáǵéś óḟ ḣéĺṕ</a> áńḋ
    ḃŕáćéś: { "{" }text{ "}" }.

    Ťḣé śéćóńḋ ṕáŕáǵŕáṕḣ.

files = { $count ->
        [0] Ťḣéŕé áŕé ńó ḟíĺéś.
        [one] Ťḣéŕé íś óńé ḟíĺé.
       *[other] Ťḣéŕé áŕé { $count } ḟíĺéś.
    }
sentence = { NUMBER($count) ->
        [one] { $place ->
            [home] Ýóú ḣáṽé óńé ńéẃ ḿéśśáǵé íń ýóúŕ ḣóḿé ḟóĺḋéŕ.
           *[other] Ýóú ḣáṽé óńé ńéẃ ḿéśśáǵé íń ťḣé ḟóĺḋéŕ { $place }.
        }
       *[other] { $place ->
            [home] Ýóú ḣáṽé { $count } ńéẃ ḿéśśáǵéś íń ýóúŕ ḣóḿé ḟóĺḋéŕ.
           *[other] Ýóú ḣáṽé { $count } ńéẃ ḿéśśáǵéś íń ťḣé ḟóĺḋéŕ { $place }.
        }
    }
settings = { PLATFORM() ->
        [macos] Óṕéń ťḣé ṕŕéḟéŕéńćéś
       *[other] Óṕéń ťḣé óṕťíóńś
    }
broken = { $name
