package dev.kagzi.cli.client;

import java.util.Optional;

/** Which server and namespace a command is for. Immutable. */
public record ClientSettings(Optional<Setting> profile, Setting address, Setting namespace) {}
