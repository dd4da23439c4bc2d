import { useMemo } from "react";
import { useActing } from "../../../api/accounts/use-organization.ts";
import { ListPanel } from "../../../components/page/list/ListPage.tsx";
import { auditOf } from "./audit-list.tsx";

/** Who changed what of the organization that the user acts for. */
export const OrganizationAudit = () => {
  const { id } = useActing();
  return <ListPanel list={useMemo(() => auditOf(id), [id])} />;
};
