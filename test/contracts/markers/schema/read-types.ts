import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type Class,
  parseSync,
  type Statement,
  type TSInterfaceDeclaration,
  type TSSignature,
  type TSType,
  type TSTypeName,
} from "oxc-parser";
import { type Member, resolved, type Shape } from "./shape.ts";

const FREE: Shape = { kind: "free" };

/** The declarations of one scope, by name; an interface may be declared in parts. */
type Scope = Readonly<{
  parent: Scope | null;
  file: string;
  types: Map<string, () => Shape>;
  namespaces: Map<string, () => Scope>;
}>;

const files = new Map<string, Scope>();

/**
 * Reads a type of a package's declarations as a shape: `read("openai/resources/…", "ChatCompletionCreateParamsBase")`. What it
 * cannot read, such as generic types, is `free`. Throws Error for a type that isn't declared.
 */
export function readType(path: string, name: string): Shape {
  const scope = scopeOfFile(join(import.meta.dir, "../../../../node_modules", path));
  const found = findType(scope, name.split("."));
  if (!found) throw new Error(`${path} declares no ${name}`);
  return resolved(found);
}

function scopeOfFile(file: string): Scope {
  const known = files.get(file);
  if (known) return known;
  const scope: Scope = { parent: null, file, types: new Map(), namespaces: new Map() };
  files.set(file, scope);
  declare(scope, parseSync(file, readFileSync(file, "utf8")).program.body as Statement[]);
  return scope;
}

function declare(scope: Scope, statements: readonly Statement[]): void {
  for (const statement of statements) {
    if (statement.type === "ImportDeclaration") declareImport(scope, statement);
    const declaration =
      statement.type === "ExportNamedDeclaration" && statement.declaration ? statement.declaration : statement;
    switch (declaration.type) {
      case "TSInterfaceDeclaration":
        define(scope, declaration.id.name, () => interfaceShape(scope, declaration));
        break;
      case "ClassDeclaration":
        if (declaration.id) define(scope, declaration.id.name, () => classShape(scope, declaration));
        break;
      case "TSTypeAliasDeclaration":
        define(scope, declaration.id.name, () => shapeOf(scope, declaration.typeAnnotation, declaration.id.name));
        break;
      case "TSEnumDeclaration": {
        const values = declaration.body.members.flatMap(({ initializer }) =>
          initializer?.type === "Literal" && typeof initializer.value === "string" ? [initializer.value] : [],
        );
        define(scope, declaration.id.name, () => ({ kind: "constant", values }));
        break;
      }
      case "TSModuleDeclaration": {
        const { id, body } = declaration;
        if (id.type !== "Identifier" || body?.type !== "TSModuleBlock") break;
        const inner = scope.namespaces.get(id.name)?.() ?? {
          ...{ parent: scope, file: scope.file, types: new Map(), namespaces: new Map() },
        };
        scope.namespaces.set(id.name, () => inner);
        declare(inner, body.body as Statement[]);
        break;
      }
    }
  }
}

function define(scope: Scope, name: string, make: () => Shape): void {
  let shape: Shape | null = null;
  scope.types.set(name, () => {
    shape ??= make();
    return shape;
  });
}

function declareImport(scope: Scope, { source, specifiers }: Extract<Statement, { type: "ImportDeclaration" }>): void {
  if (!source.value.startsWith(".")) return;
  const file = join(dirname(scope.file), source.value.replace(/\.js$/, ".d.ts"));
  for (const specifier of specifiers) {
    const local = specifier.local.name;
    if (specifier.type === "ImportNamespaceSpecifier") scope.namespaces.set(local, () => scopeOfFile(file));
    else if (specifier.type === "ImportSpecifier" && specifier.imported.type === "Identifier") {
      const { name } = specifier.imported;
      scope.types.set(local, () => findType(scopeOfFile(file), [name]) ?? FREE);
    }
  }
}

function findType(scope: Scope, path: readonly string[]): Shape | null {
  const [first = "", ...rest] = path;
  for (let at: Scope | null = scope; at; at = at.parent) {
    if (rest.length === 0) {
      const make = at.types.get(first);
      if (make) return { kind: "reference", resolve: make };
    } else {
      const namespace = at.namespaces.get(first)?.();
      const found = namespace && findType({ ...namespace, parent: null }, rest);
      if (found) return found;
    }
  }
  return null;
}

const pathOf = (name: TSTypeName): string[] =>
  name.type === "Identifier"
    ? [name.name]
    : name.type === "TSQualifiedName"
      ? [...pathOf(name.left), name.right.name]
      : [];

function interfaceShape(scope: Scope, { id, body, extends: bases }: TSInterfaceDeclaration): Shape {
  const members = new Map<string, Member>();
  for (const { expression } of bases) {
    const path = expression.type === "Identifier" ? [expression.name] : memberPath(expression);
    for (const [name, member] of membersOf(findType(scope, path))) members.set(name, member);
  }
  for (const [name, member] of signatures(scope, body.body)) members.set(name, member);
  return { kind: "object", name: id.name, members };
}

function memberPath(expression: { type: string }): string[] {
  const { object, property, name } = expression as {
    object?: { type: string };
    property?: { name: string };
    name?: string;
  };
  if (name !== undefined) return [name];
  return object && property ? [...memberPath(object), property.name] : [];
}

function classShape(scope: Scope, declaration: Class): Shape {
  const members = new Map<string, Member>();
  for (const element of declaration.body.body) {
    if (element.type !== "PropertyDefinition" || element.key.type !== "Identifier" || !element.typeAnnotation) continue;
    const shape = shapeOf(scope, element.typeAnnotation.typeAnnotation, element.key.name);
    members.set(element.key.name, { shape, isOptional: element.optional === true });
  }
  return { kind: "object", name: declaration.id?.name ?? "", members };
}

const membersOf = (shape: Shape | null): ReadonlyMap<string, Member> => {
  const known = shape && resolved(shape);
  return known?.kind === "object" ? known.members : new Map();
};

function signatures(scope: Scope, list: readonly TSSignature[]): Map<string, Member> {
  const members = new Map<string, Member>();
  for (const signature of list) {
    if (signature.type !== "TSPropertySignature" || !signature.typeAnnotation) continue;
    const { key } = signature;
    const name = key.type === "Identifier" ? key.name : key.type === "Literal" ? String(key.value) : null;
    if (name === null) continue;
    const shape = shapeOf(scope, signature.typeAnnotation.typeAnnotation, name);
    members.set(name, { shape, isOptional: signature.optional });
  }
  return members;
}

function shapeOf(scope: Scope, type: TSType, name: string): Shape {
  switch (type.type) {
    case "TSStringKeyword":
      return { kind: "string" };
    case "TSNumberKeyword":
      return { kind: "number" };
    case "TSBooleanKeyword":
      return { kind: "boolean" };
    case "TSNullKeyword":
    case "TSUndefinedKeyword":
    case "TSNeverKeyword":
      return { kind: "null" };
    case "TSLiteralType": {
      const { literal } = type;
      const value = literal.type === "Literal" ? literal.value : null;
      const isConstant = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
      return isConstant ? { kind: "constant", values: [value] } : FREE;
    }
    case "TSParenthesizedType":
      return shapeOf(scope, type.typeAnnotation, name);
    case "TSArrayType":
      return { kind: "list", of: shapeOf(scope, type.elementType, name) };
    case "TSUnionType":
      return unionOf(type.types.map((one) => shapeOf(scope, one, name)));
    case "TSIntersectionType": {
      const parts = type.types.map((one) => shapeOf(scope, one, name));
      // `string & {}`: any string, with proposals.
      const [plain] = parts.filter(({ kind }) => kind === "string");
      if (plain) return plain;
      return {
        kind: "reference",
        resolve: () => ({ kind: "object", name, members: new Map(parts.flatMap((part) => [...membersOf(part)])) }),
      };
    }
    case "TSTypeLiteral": {
      const members = signatures(scope, type.members);
      return members.size === 0 ? FREE : { kind: "object", name, members };
    }
    case "TSTypeReference":
      return referred(scope, type, name);
    default:
      return FREE;
  }
}

function referred(
  scope: Scope,
  { typeName, typeArguments }: Extract<TSType, { type: "TSTypeReference" }>,
  name: string,
): Shape {
  const path = pathOf(typeName);
  const [first] = typeArguments?.params ?? [];
  if (path.length === 1 && path[0] === "Array" && first) return { kind: "list", of: shapeOf(scope, first, name) };
  if (path.length === 1 && path[0] === "Omit" && first) {
    const base = shapeOf(scope, first, name);
    const omitted = omittedNames(typeArguments?.params[1]);
    return {
      kind: "reference",
      resolve: () => ({
        kind: "object",
        name,
        members: new Map([...membersOf(base)].filter(([member]) => !omitted.has(member))),
      }),
    };
  }
  return findType(scope, path) ?? FREE;
}

function omittedNames(type: TSType | undefined): ReadonlySet<string> {
  const literals = type?.type === "TSUnionType" ? type.types : type ? [type] : [];
  return new Set(
    literals.flatMap((one) =>
      one.type === "TSLiteralType" && one.literal.type === "Literal" && typeof one.literal.value === "string"
        ? [one.literal.value]
        : [],
    ),
  );
}

/** Constants of a union are one enumeration, unless it takes any string too. */
function unionOf(shapes: readonly Shape[]): Shape {
  const constants = shapes.flatMap((shape) => (shape.kind === "constant" ? shape.values : []));
  const others = shapes.filter(({ kind }) => kind !== "constant" && kind !== "null");
  if (constants.length > 0 && !others.some(({ kind }) => kind === "string"))
    others.push({ kind: "constant", values: constants });
  const [only] = others;
  return others.length === 1 && only ? only : { kind: "union", of: others };
}
