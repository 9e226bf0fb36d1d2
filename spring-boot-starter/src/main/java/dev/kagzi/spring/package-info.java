/**
 * Kagzi in a Spring Boot application: a client and a worker as beans, workflows found among the
 * beans, the worker's life tied to that of the application. Knows the SDK only, no server.
 */
@NullMarked
package dev.kagzi.spring;

import org.jspecify.annotations.NullMarked;
