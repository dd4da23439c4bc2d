import { requiredRight } from "../../../domain/accounts/access/route-rights.ts";
import type { OpenApiDocument } from "../api-reference/openapi.ts";

/** A call of the management API that a right opens. */
export type Operation = Readonly<{
  /** `GET /api/channel/{id}`. */
  name: string;
  method: string;
  route: string;
  summary: string;
  task: string;
  right: string;
  /** The least role of people. */
  role: "admin" | "root";
  /** It changes nothing and starts nothing. */
  isRead: boolean;
  /** What the document says of it. */
  described: Readonly<Record<string, unknown>>;
}>;

/** They answer with a file, or as long as they are listened to. */
const NO_ANSWER = /\/(?:export|file|stream)$|^\/api\/live/;

/** The operations of the document that administrators have. */
export const operationsOf = ({ paths }: OpenApiDocument): readonly Operation[] =>
  Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods).flatMap(([method, described]): Operation[] => {
      const role = described.security
        ?.flatMap((one) => Object.keys(one))
        .find((one) => one === "admin" || one === "root");
      const right = requiredRight(method.toUpperCase(), route.replace(/\{(\w+)\}/g, ":$1"));
      if ((role !== "admin" && role !== "root") || right === null || NO_ANSWER.test(route)) return [];
      const { summary = "", tags = [] } = described;
      const name = `${method.toUpperCase()} ${route}`;
      const isRead = right.endsWith(":read");
      return [
        { name, method: method.toUpperCase(), route, summary, task: tags[0] ?? "", right, role, isRead, described },
      ];
    }),
  );

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Operations by how many of the words they have, the plainest first; without words all, in the order of the document. */
export function findOperations(operations: readonly Operation[], query: string, most: number): readonly Operation[] {
  const words = wordsOf(query);
  if (words.length === 0) return operations.slice(0, most);
  return operations
    .map((operation) => {
      const text = `${operation.name} ${operation.summary} ${operation.task} ${operation.right}`.toLowerCase();
      return { operation, hits: words.filter((word) => text.includes(word.replace(/s$/, ""))).length };
    })
    .filter(({ hits }) => hits > 0)
    .toSorted((a, b) => b.hits - a.hits || a.operation.name.length - b.operation.name.length)
    .slice(0, most)
    .map(({ operation }) => operation);
}
