<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en_US">
<context>
    <name></name>
    <message numerus="yes">
        <source>%n more rows</source>
        <translation>
            <numerusform>%n more row</numerusform>
            <numerusform>%n more rows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more columns</source>
        <translation>
            <numerusform>%n more column</numerusform>
            <numerusform>%n more columns</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rows</source>
        <translation>
            <numerusform>%n row</numerusform>
            <numerusform>%n rows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n cells of {column}</source>
        <translation>
            <numerusform>%n cell of {column}</numerusform>
            <numerusform>%n cells of {column}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n more</numerusform>
            <numerusform>%n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tables</source>
        <translation>
            <numerusform>%n table</numerusform>
            <numerusform>%n tables</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n documents</source>
        <translation>
            <numerusform>%n document</numerusform>
            <numerusform>%n documents</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>About %n tokens for a copilot that reads all of it.</source>
        <translation>
            <numerusform>About %n token for a copilot that reads all of it.</numerusform>
            <numerusform>About %n tokens for a copilot that reads all of it.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n widgets of this dashboard are not published by the backend.</source>
        <translation>
            <numerusform>%n widget of this dashboard is not published by the backend.</numerusform>
            <numerusform>%n widgets of this dashboard are not published by the backend.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{name}  ·  dashboard, %n widgets</source>
        <translation>
            <numerusform>{name}  ·  dashboard, %n widget</numerusform>
            <numerusform>{name}  ·  dashboard, %n widgets</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %n rows</source>
        <translation>
            <numerusform>about %n row</numerusform>
            <numerusform>about %n rows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Copy the first %n rows</source>
        <translation>
            <numerusform>Copy the first %n row</numerusform>
            <numerusform>Copy the first %n rows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n bars.</source>
        <translation>
            <numerusform>%n bar.</numerusform>
            <numerusform>%n bars.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Removed {name} and %n widgets drawn from it</source>
        <translation>
            <numerusform>Removed {name} and %n widget drawn from it</numerusform>
            <numerusform>Removed {name} and %n widgets drawn from it</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Share with all %n</source>
        <translation>
            <numerusform>Share with all %n</numerusform>
            <numerusform>Share with all %n</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>… %n more characters.</source>
        <translation>
            <numerusform>… %n more character.</numerusform>
            <numerusform>… %n more characters.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n row(s)</source>
        <translation>
            <numerusform>%n row</numerusform>
            <numerusform>%n rows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warnings</source>
        <translation>
            <numerusform>%n warning</numerusform>
            <numerusform>%n warnings</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools</source>
        <translation>
            <numerusform>%n tool</numerusform>
            <numerusform>%n tools</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n steps</source>
        <translation>
            <numerusform>%n step</numerusform>
            <numerusform>%n steps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>A chart of %n rows</source>
        <translation>
            <numerusform>A chart of %n row</numerusform>
            <numerusform>A chart of %n rows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n columns</source>
        <translation>
            <numerusform>%n column</numerusform>
            <numerusform>%n columns</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n different values</source>
        <translation>
            <numerusform>%n different value</numerusform>
            <numerusform>%n different values</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n empty</source>
        <translation>
            <numerusform>%n empty</numerusform>
            <numerusform>%n empty</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>An unfinished design: %n requests so far.</source>
        <translation>
            <numerusform>An unfinished design: %n request so far.</numerusform>
            <numerusform>An unfinished design: %n requests so far.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>A workflow has at most %n steps.</source>
        <translation>
            <numerusform>A workflow has at most %n step.</numerusform>
            <numerusform>A workflow has at most %n steps.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rows so far, {size}</source>
        <translation>
            <numerusform>%n row so far, {size}</numerusform>
            <numerusform>%n rows so far, {size}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{name} holds %n tables. Which do you need?</source>
        <translation>
            <numerusform>{name} holds %n table. Which do you need?</numerusform>
            <numerusform>{name} holds %n tables. Which do you need?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{sheet}, one of %n sheets</source>
        <translation>
            <numerusform>{sheet}, one of %n sheet</numerusform>
            <numerusform>{sheet}, one of %n sheets</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n questions</source>
        <translation>
            <numerusform>%n question</numerusform>
            <numerusform>%n questions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n passages</source>
        <translation>
            <numerusform>%n passage</numerusform>
            <numerusform>%n passages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n not read yet</source>
        <translation>
            <numerusform>%n not read yet</numerusform>
            <numerusform>%n not read yet</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n can&apos;t be read</source>
        <translation>
            <numerusform>%n can&apos;t be read</numerusform>
            <numerusform>%n can&apos;t be read</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pages</source>
        <translation>
            <numerusform>%n page</numerusform>
            <numerusform>%n pages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n scanned pages unread</source>
        <translation>
            <numerusform>%n scanned page unread</numerusform>
            <numerusform>%n scanned pages unread</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n passages by keyword only, until you download an embedder for their language</source>
        <translation>
            <numerusform>%n passage by keyword only, until you download an embedder for its language</numerusform>
            <numerusform>%n passages by keyword only, until you download an embedder for their language</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %n min left</source>
        <translation>
            <numerusform>about %n min left</numerusform>
            <numerusform>about %n min left</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %n h left</source>
        <translation>
            <numerusform>about %n h left</numerusform>
            <numerusform>about %n h left</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>… %n more</source>
        <translation>
            <numerusform>… %n more</numerusform>
            <numerusform>… %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %n s left</source>
        <translation>
            <numerusform>about %n s left</numerusform>
            <numerusform>about %n s left</numerusform>
        </translation>
    </message>
</context>
</TS>
