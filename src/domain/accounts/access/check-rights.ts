import { OperationError } from "../../../lib/operation-error.ts";
import { isRight, orderRights, type Right } from "./access-rules.ts";

/** The rights of an input, each once and in the order of the matrix. Throws OperationError for an unknown one, and for none. */
export function checkRights(rights: readonly string[], isAllowed: (right: Right) => boolean = () => true): Right[] {
  const unknown = rights.find((right) => !isRight(right) || !isAllowed(right));
  if (unknown !== undefined) throw new OperationError("right_unknown", { right: unknown.slice(0, 40) });
  if (rights.length === 0) throw new OperationError("rights_required");
  return orderRights(rights);
}
