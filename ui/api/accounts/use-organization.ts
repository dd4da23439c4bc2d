import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useAtomValue } from "jotai";
import { useCallback, useEffect } from "react";
import type { OrganizationRight } from "../../../src/domain/accounts/organizations/rights.ts";
import type { FilterOption } from "../../components/inputs/FilterButton.tsx";
import { useAddress } from "../../components/use-address.ts";
import { chooseOrganization, organizationAtom } from "../../state/organization.ts";
import { useSession } from "../../state/session.ts";
import { useSite } from "../../state/site-status.ts";
import { hasRight } from "../../state/stored-user.ts";
import { members, type Organization, organizations } from "./organization-calls.ts";
import { self } from "./self-calls.ts";
import { projects } from "./spending-calls.ts";

/** Whether this site has organizations. */
export const useHasOrganizations = (): boolean => (useSite()?.organizations ?? "off") !== "off";

type Acting = Readonly<{
  /** The id of the organization that the user acts for; null: they act for themselves. */
  id: number | null;
  /** Undefined while it is loaded. */
  organization: Organization | undefined;
  isLoading: boolean;
  /** Whether the user may do this for the account they act for; people may do everything for themselves. */
  may: (right: OrganizationRight) => boolean;
}>;

/** The account that the user acts for. */
export function useActing(): Acting {
  const id = useAtomValue(organizationAtom);
  const { data, isLoading } = useQuery({ ...organizations, enabled: id !== null });
  const organization = id === null ? undefined : data?.find((one) => one.id === id);
  const may = (right: OrganizationRight) => id === null || (organization?.rights.includes(right) ?? false);
  return { id, organization, isLoading, may };
}

/**
 * Whether pages are open to the user that need a right in the organization that they act for. Until it is loaded all are:
 * the server checks the right.
 */
export function useMayOpen(): (right: OrganizationRight) => boolean {
  const { id, organization, may } = useActing();
  return id !== null && organization === undefined ? () => true : may;
}

/** Balance, use and group of the account that the user acts for. */
export function useAccount() {
  const { id, organization } = useActing();
  const own = useQuery({ ...self, enabled: id === null });
  const list = useQuery({ ...organizations, enabled: id !== null });
  if (id === null) return { data: own.data, error: own.error, refetch: own.refetch };
  return { data: organization, error: list.error, refetch: list.refetch };
}

/** Whether lists show the rows of all users: for administrators who act for themselves. */
export function useSeesAllUsers(): boolean {
  const { user } = useSession();
  return useAtomValue(organizationAtom) === null && hasRight(user, "logs:read");
}

/** Acts for the organization that the address names (`organization`), where the user is a member of it: notices link so. */
export function useLinkedAccount(): void {
  const { number, set } = useAddress();
  const { id } = useActing();
  const switchAccount = useSwitchAccount();
  const linked = number("organization");
  const { data } = useQuery({ ...organizations, enabled: linked !== undefined });
  useEffect(() => {
    if (linked === undefined || data === undefined) return;
    set({ organization: undefined });
    if (linked !== id && data.some((one) => one.id === linked)) switchAccount(linked);
  }, [linked, data, id, set, switchAccount]);
}

/** Acts for an organization, or for oneself (null), and drops everything that was loaded for the account before. */
export function useSwitchAccount(): (id: number | null) => void {
  const client = useQueryClient();
  return useCallback(
    (id) => {
      chooseOrganization(id);
      client.removeQueries();
    },
    [client],
  );
}

type Options = readonly FilterOption[];

/** The projects and members of the organization that the user acts for, as options of filters; null: they act for themselves. */
export function useOrganizationOptions(): Readonly<{ projects: Options; members: Options }> | null {
  const id = useAtomValue(organizationAtom);
  const known = useQuery({ ...projects(id ?? 0), enabled: id !== null }).data ?? [];
  const people = useQuery({ ...members(id ?? 0), enabled: id !== null }).data ?? [];
  if (id === null) return null;
  return {
    projects: known.map((project) => ({ value: String(project.id), label: project.name })),
    members: people.map(({ user_id, username }) => ({ value: String(user_id), label: username })),
  };
}
