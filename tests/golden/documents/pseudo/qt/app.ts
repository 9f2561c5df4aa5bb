<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="fr_FR" sourcelanguage="en">
<context>
    <name>MainWindow</name>
    <message>
        <location filename="a.cpp" line="12"/>
        <source>&amp;Open the file</source>
        <comment>Not this</comment>
        <translation type="unfinished">&amp;Óṕéń ťḣé ḟíĺé</translation>
    </message>
    <message>
        <source>Do you want to save?

Your changes will be lost.</source>
        <translation>Voulez-vous enregistrer ?</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) found</source>
        <translation type="unfinished"><numerusform>%n ḟíĺé(ś) ḟóúńḋ</numerusform><numerusform>%n ḟíĺé(ś) ḟóúńḋ</numerusform></translation>
    </message>
    <message><source>Gone</source><translation type="vanished">Parti</translation></message>
    <message>
        <source>&lt;b&gt;Bold&lt;/b&gt; words
on two lines</source>
        <translation type="unfinished">&lt;b&gt;Ḃóĺḋ&lt;/b&gt; ẃóŕḋś
óń ťẃó ĺíńéś</translation>
    </message>
</context>
</TS>
