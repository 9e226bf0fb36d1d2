package dev.kagzi.server.json;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.grpc.Status.Code;
import org.eclipse.jetty.http.HttpStatus;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Shows errors of calls as HTTP does. Thread-safe. */
final class JsonErrors {

  private static final JsonFormat.TypeRegistry DETAILS =
      JsonFormat.TypeRegistry.newBuilder()
          .add(ErrorInfo.getDescriptor())
          .add(BadRequest.getDescriptor())
          .add(RetryInfo.getDescriptor())
          .build();

  private final JsonFormat.Printer printer = JsonFormat.printer().usingTypeRegistry(DETAILS);
  private final JsonMapper json = JsonMapper.builder().build();

  /** How HTTP calls an error. */
  static int httpStatus(int code) {
    return switch (io.grpc.Status.fromCodeValue(code).getCode()) {
      case OK -> HttpStatus.OK_200;
      case INVALID_ARGUMENT, FAILED_PRECONDITION, OUT_OF_RANGE -> HttpStatus.BAD_REQUEST_400;
      case UNAUTHENTICATED -> HttpStatus.UNAUTHORIZED_401;
      case PERMISSION_DENIED -> HttpStatus.FORBIDDEN_403;
      case NOT_FOUND -> HttpStatus.NOT_FOUND_404;
      case ABORTED, ALREADY_EXISTS -> HttpStatus.CONFLICT_409;
      case RESOURCE_EXHAUSTED -> HttpStatus.TOO_MANY_REQUESTS_429;
      case CANCELLED, UNKNOWN, INTERNAL, DATA_LOSS -> HttpStatus.INTERNAL_SERVER_ERROR_500;
      case UNIMPLEMENTED -> HttpStatus.NOT_IMPLEMENTED_501;
      case UNAVAILABLE -> HttpStatus.SERVICE_UNAVAILABLE_503;
      case DEADLINE_EXCEEDED -> HttpStatus.GATEWAY_TIMEOUT_504;
    };
  }

  /** The body that tells of an error: code, status in words, message, and what the server added. */
  String body(int httpStatus, Status status) {
    ObjectNode error = json.createObjectNode();
    error.put("code", httpStatus);
    error.put("status", io.grpc.Status.fromCodeValue(status.getCode()).getCode().name());
    error.put("message", status.getMessage());
    status.getDetailsList().forEach(detail -> error.withArrayProperty("details").add(tree(detail)));
    return json.writeValueAsString(json.createObjectNode().set("error", error));
  }

  String body(int httpStatus, Code code, String message) {
    return body(httpStatus, Status.newBuilder().setCode(code.value()).setMessage(message).build());
  }

  private JsonNode tree(Any detail) {
    try {
      return json.readTree(printer.print(detail));
    } catch (InvalidProtocolBufferException unknown) {
      return json.createObjectNode().put("@type", detail.getTypeUrl());
    }
  }
}
