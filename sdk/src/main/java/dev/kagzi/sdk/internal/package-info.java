/**
 * How a client and a worker speak to a server, and how a worker executes runs. The only room of the
 * SDK that knows gRPC and the stubs; none of its types appears in a public signature, and any of
 * them may change without notice.
 */
@NullMarked
package dev.kagzi.sdk.internal;

import org.jspecify.annotations.NullMarked;
