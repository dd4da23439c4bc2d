import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { isRight, type Right } from "../../../../src/domain/accounts/access/access-rules.ts";
import type { OrganizationRight } from "../../../../src/domain/accounts/organizations/rights.ts";
import { useActing } from "../../../api/accounts/use-organization.ts";
import { useSession } from "../../../state/session.ts";
import { hasRight, hasRootRight } from "../../../state/stored-user.ts";
import type { RowId } from "../../data-table/column.ts";
import type { useAction } from "../../feedback/use-action.ts";
import type { Address } from "../../use-address.ts";

/**
 * A right that administrators have (`users:write`), one that only super administrators have (`{ root: … }`), in both cases
 * unless a custom role gives it, or one of members in the organization that they act for (`keys.write`).
 */
export type Needed = Right | Readonly<{ root: Right }> | OrganizationRight;

/** Draws a dialog or drawer, until it is closed. */
export type Opened = (close: () => void) => ReactNode;

/** What the functions of a list's description know of the page that draws it. */
export type ListContext<Data> = Readonly<{
  t: TFunction;
  language: string;
  /** What the description's `useData` returned. */
  data: Data;
  address: Address;
  may: (needed: Needed | undefined) => boolean;
  /** Shows a dialog or drawer instead of the one that is open. */
  open: (opened: Opened) => void;
  /** Reads the list again, and what else an action changes. */
  reload: () => void;
  /** Asks, works, reports, and reloads. */
  act: ReturnType<typeof useAction>;
  /** Selects these rows and no others. */
  select: (ids: Iterable<RowId>) => void;
}>;

/** Whether the user has a right, here or in the organization that they act for. */
export function useMay(): (needed: Needed | undefined) => boolean {
  const { user } = useSession();
  const { may } = useActing();
  return (needed) => {
    if (needed === undefined) return true;
    if (typeof needed === "object") return hasRootRight(user, needed.root);
    return isRight(needed) ? hasRight(user, needed) : may(needed);
  };
}
