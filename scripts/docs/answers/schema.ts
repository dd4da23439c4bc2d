import ts from "typescript-api";

/** A JSON Schema (https://json-schema.org/draft/2020-12), as OpenAPI 3.1 takes it. */
export type Schema = { [keyword: string]: unknown };

/** What a handler returns besides JSON: files, streams and answers that it makes itself. */
const NO_JSON = new Set([
  "Response",
  "Blob",
  "ReadableStream",
  "File",
  "AsyncGenerator",
  "Generator",
  "BunFile",
  "AsyncIterable",
]);
/** Where types go on without end, such as any JSON. */
const MOST_DEPTH = 14;
/** Of more choices, such as the codes of all messages, a list helps nobody. */
const MOST_CHOICES = 60;
/**
 * Turns types into schemas of the JSON that is made of their values. Types that the sources export by a name go to `named` once
 * and are referred to.
 */
export function schemaMaker(checker: ts.TypeChecker, sources: readonly ts.SourceFile[]) {
  const named = new Map<string, Schema>();
  const names = namesOfTypes(checker, sources);
  const taken = new Map<string, ts.Type>();

  const nameOf = (type: ts.Type): string | null => {
    const own = names.get(type);
    if (own === undefined) return null;
    let name = own;
    for (let count = 2; (taken.get(name) ?? type) !== type; count += 1) name = `${own}${count}`;
    taken.set(name, type);
    return name;
  };

  const schemaOf = (type: ts.Type, depth = 0): Schema | null => {
    const name = nameOf(type);
    if (name === null) return shapeOf(type, depth);
    if (!named.has(name)) {
      named.set(name, {});
      named.set(name, shapeOf(type, 0) ?? {});
    }
    return { $ref: `#/components/schemas/${name}` };
  };

  const shapeOf = (type: ts.Type, depth: number): Schema | null => {
    const { flags } = type;
    if (depth > MOST_DEPTH || flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {};
    if (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void | ts.TypeFlags.Never | ts.TypeFlags.ESSymbolLike))
      return null;
    if (flags & ts.TypeFlags.Null) return { type: "null" };
    if (type.isUnion()) return unionOf(type.types, depth);
    if (type.isStringLiteral() || type.isNumberLiteral()) return constant(type.value);
    if (flags & ts.TypeFlags.BooleanLiteral) return constant(checker.typeToString(type) === "true");
    if (flags & ts.TypeFlags.StringLike) return { type: "string" };
    if (flags & ts.TypeFlags.NumberLike) return { type: "number" };
    if (flags & ts.TypeFlags.BooleanLike) return { type: "boolean" };
    if (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return objectOf(type, depth);
    const bound = checker.getBaseConstraintOfType(type);
    return bound && bound !== type ? schemaOf(bound, depth + 1) : {};
  };

  const unionOf = (types: readonly ts.Type[], depth: number): Schema | null => {
    const parts = types.map((part) => schemaOf(part, depth + 1)).filter((part) => part !== null);
    const texts = parts.filter((part) => typeof part.const === "string");
    if (texts.length > MOST_CHOICES) return { type: "string" };
    const constants = parts.filter((part) => "const" in part).map((part) => part.const);
    const others = parts.filter((part) => !("const" in part));
    const isBoolean = constants.includes(true) && constants.includes(false);
    const rest = isBoolean ? constants.filter((value) => typeof value !== "boolean") : constants;
    const constantsByType = [...Map.groupBy(rest, (value) => typeof value)];
    const all: Schema[] = [
      ...others,
      ...(isBoolean ? [{ type: "boolean" }] : []),
      ...constantsByType.map(([type, values]) => (values.length > 1 ? { type, enum: values } : constant(values[0]))),
    ];
    const distinct = [...new Map(all.map((part) => [JSON.stringify(part), part])).values()];
    const [first, ...more] = distinct.filter((part) => part.type !== "null");
    if (!first) return distinct[0] ?? null;
    if (more.length > 0) return { anyOf: distinct };
    if (distinct.length === 1) return first;
    const mayBeNull = typeof first.type === "string" && !("const" in first) && !("enum" in first);
    return mayBeNull ? { ...first, type: [first.type, "null"] } : { anyOf: distinct };
  };

  const objectOf = (type: ts.Type, depth: number): Schema | null => {
    const symbol = type.symbol?.name ?? "";
    if (NO_JSON.has(symbol) || symbol.startsWith("ElysiaCustomStatus")) return null;
    if (symbol === "Date") return { type: "string", format: "date-time" };
    if (type.getCallSignatures().length > 0) return null;
    if (checker.isArrayType(type) || checker.isTupleType(type)) {
      const [item] = checker.isTupleType(type)
        ? [unionOf(checker.getTypeArguments(type as ts.TypeReference), depth)]
        : checker.getTypeArguments(type as ts.TypeReference).map((one) => schemaOf(one, depth + 1));
      return { type: "array", items: item ?? {} };
    }
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (const property of checker.getPropertiesOfType(type)) {
      if (property.name.startsWith("__@")) continue;
      const value = checker.getTypeOfSymbol(property);
      const schema = schemaOf(value, depth + 1);
      if (schema === null) continue;
      const description = ts.displayPartsToString(property.getDocumentationComment(checker)).trim();
      properties[property.name] = description ? { ...schema, description } : schema;
      const mayLack = property.flags & ts.SymbolFlags.Optional || (value.isUnion() && value.types.some(isAbsent));
      if (!mayLack) required.push(property.name);
    }
    const index = checker.getIndexInfoOfType(type, ts.IndexKind.String);
    return {
      type: "object",
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required }),
      ...(index && { additionalProperties: schemaOf(index.type, depth + 1) ?? {} }),
    };
  };
  return { schemaOf, named };
}

const constant = (value: unknown): Schema => ({ type: typeof value, const: value });

const isAbsent = ({ flags }: ts.Type): boolean => (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) !== 0;

/** The exported names of object types. */
function namesOfTypes(checker: ts.TypeChecker, sources: readonly ts.SourceFile[]): Map<ts.Type, string> {
  const names = new Map<ts.Type, string>();
  for (const source of sources) {
    const module = checker.getSymbolAtLocation(source);
    for (const symbol of module ? checker.getExportsOfModule(module) : []) {
      const [declaration] = symbol.declarations ?? [];
      const isPlain =
        declaration !== undefined &&
        (ts.isTypeAliasDeclaration(declaration) || ts.isInterfaceDeclaration(declaration)) &&
        !declaration.typeParameters;
      if (!isPlain) continue;
      const type = checker.getDeclaredTypeOfSymbol(symbol);
      const isObject = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
      if (isObject && !checker.isArrayType(type) && !names.has(type)) names.set(type, symbol.name);
    }
  }
  return names;
}
