package dev.kagzi.server.json;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Describes all routes in OpenAPI 3.1, from the contract and its comments alone. */
final class OpenApi {

  private static final String JSON = "application/json";
  private static final String ERROR = "Error";

  private final JsonMapper json = JsonMapper.builder().build();
  private final Comments comments = new Comments();
  private final Schemas schemas = new Schemas(json, comments);
  private final Set<String> operations = new HashSet<>();
  private final Routes routes;
  private final String version;

  OpenApi(Routes routes, String version) {
    this.routes = routes;
    this.version = version;
  }

  String write() {
    ObjectNode document = json.createObjectNode().put("openapi", "3.1.0");
    document
        .putObject("info")
        .put("title", "Kagzi")
        .put("version", version)
        .put("description", "Every unary call of kagzi.v1 as JSON over HTTP.");
    ObjectNode paths = document.putObject("paths");
    routes.all().stream()
        .sorted(Comparator.comparing(Route::template).thenComparing(Route::verb))
        .forEach(route ->
            paths
                .withObjectProperty(route.template())
                .set(route.verb().toLowerCase(Locale.ROOT), operation(route)));
    ObjectNode all = schemas.write();
    all.set(ERROR, error());
    document.putObject("components").set("schemas", all);
    return json.writeValueAsString(document);
  }

  private ObjectNode operation(Route route) {
    ObjectNode operation = json.createObjectNode();
    operation.put("operationId", operationId(route));
    operation.putArray("tags").add(route.rpc().getService().getName());
    operation.put("summary", comments.of(route.rpc()));
    ArrayNode parameters = operation.putArray("parameters");
    Descriptor request = route.rpc().getInputType();
    for (String variable : route.variables()) {
      FieldDescriptor field = request.findFieldByName(variable);
      parameters.add(parameter(variable, "path", field).put("required", true));
    }
    if (route.takesBody()) {
      ObjectNode body = operation.putObject("requestBody").put("required", true);
      content(body, schemas.reference(request));
    } else {
      addQuery(parameters, request, "", route.variables());
    }
    ObjectNode responses = operation.putObject("responses");
    ObjectNode answer = responses.putObject("200").put("description", "The answer.");
    content(answer, schemas.reference(route.rpc().getOutputType()));
    ObjectNode failure = responses.putObject("default").put("description", "Why it was refused.");
    content(failure, json.createObjectNode().put("$ref", "#/components/schemas/" + ERROR));
    return operation;
  }

  /** The call's name; the second route of the same call has a number. */
  private String operationId(Route route) {
    String name = route.rpc().getName();
    int number = 1;
    while (!operations.add(number == 1 ? name : name + number)) {
      number++;
    }
    return number == 1 ? name : name + number;
  }

  private void addQuery(ArrayNode parameters, Descriptor type, String prefix, List<String> inPath) {
    for (FieldDescriptor field : type.getFields()) {
      String name = prefix + field.getName();
      if (inPath.contains(name)) {
        continue;
      }
      if (QueryReader.isNested(field) && !field.isMapField()) {
        addQuery(parameters, field.getMessageType(), name + ".", inPath);
      } else {
        parameters.add(parameter(name, "query", field));
      }
    }
  }

  private ObjectNode parameter(String name, String where, FieldDescriptor field) {
    ObjectNode parameter = json.createObjectNode().put("name", name).put("in", where);
    String comment = comments.of(field);
    String more = field.isMapField() ? " Given as %s.key=value.".formatted(name) : "";
    if (!(comment + more).isBlank()) {
      parameter.put("description", (comment + more).strip());
    }
    parameter.set("schema", schemas.of(field));
    return parameter;
  }

  private static void content(ObjectNode where, ObjectNode schema) {
    where.putObject("content").putObject(JSON).set("schema", schema);
  }

  private ObjectNode error() {
    ObjectNode schema = json.createObjectNode().put("type", "object");
    ObjectNode fields =
        schema
            .putObject("properties")
            .putObject("error")
            .put("type", "object")
            .putObject("properties");
    fields.putObject("code").put("type", "integer").put("description", "The HTTP status.");
    fields.putObject("status").put("type", "string").put("description", "The code of gRPC.");
    fields.putObject("message").put("type", "string");
    fields
        .putObject("details")
        .put("type", "array")
        .put("description", "The stable reason (google.rpc.ErrorInfo) and what else is known.")
        .putObject("items")
        .put("type", "object");
    return schema;
  }
}
