package dev.kagzi.cli.client;

/**
 * A value in force and who gave it.
 *
 * @param origin in the words of whoever has to change it: a flag, a variable, a file, the default
 */
public record Setting(String value, String origin) {}
