import type { ComponentType } from "react";
import type { OrganizationRight } from "../../../src/domain/accounts/organizations/rights.ts";
import { useActing, useMayOpen } from "../../api/accounts/use-organization.ts";
import { NotPermitted } from "./StatePages.tsx";

/** The page for people themselves, and for members of an organization who have the right. */
export const withRight = (right: OrganizationRight, Page: ComponentType): ComponentType => {
  const Guarded = () => {
    const mayOpen = useMayOpen();
    const { isLoading } = useActing();
    // A page that is not open would be refused all that it loads.
    if (isLoading) return null;
    return mayOpen(right) ? <Page /> : <NotPermitted isFor="member" />;
  };
  return Guarded;
};
