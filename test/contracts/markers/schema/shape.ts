/** What a member of a wire format may hold. */
export type Shape =
  | Readonly<{ kind: "string" | "number" | "boolean" | "null" }>
  /** One of several constants: a discriminator if there is one, else an enumeration. */
  | Readonly<{ kind: "constant"; values: readonly (string | number | boolean)[] }>
  /** `name`: of the type, by which values with a form of their own are found. */
  | Readonly<{ kind: "object"; name: string; members: ReadonlyMap<string, Member> }>
  | Readonly<{ kind: "list"; of: Shape }>
  | Readonly<{ kind: "union"; of: readonly Shape[] }>
  /** Any object or value: a JSON Schema, arguments, metadata. */
  | Readonly<{ kind: "free" }>
  /** Resolved when it is reached: types refer to themselves. */
  | Readonly<{ kind: "reference"; resolve: () => Shape }>;

export type Member = Readonly<{ shape: Shape; isOptional: boolean }>;

/** The shape behind references. */
export function resolved(shape: Shape): Exclude<Shape, { kind: "reference" }> {
  let current = shape;
  while (current.kind === "reference") current = current.resolve();
  return current;
}

/** The alternatives of a shape: those of unions inside of unions too, without null. */
export function alternativesOf(shape: Shape): Exclude<Shape, { kind: "reference" | "union" }>[] {
  const known = resolved(shape);
  if (known.kind !== "union") return known.kind === "null" ? [] : [known];
  return known.of.flatMap(alternativesOf);
}

/** The name by which an alternative differs from the others: its discriminator's value, else its first member that must be there. */
export function variantOf(shape: Shape): string {
  const known = resolved(shape);
  if (known.kind !== "object") return known.kind;
  for (const name of ["type", "role", "event_type"]) {
    const member = known.members.get(name);
    const constant = member && resolved(member.shape);
    if (constant?.kind === "constant" && !member?.isOptional) return String(constant.values[0]);
  }
  return known.name;
}
