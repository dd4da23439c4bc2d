import { ListPage } from "../../../components/page/list/ListPage.tsx";
import { auditOf } from "./audit-list.tsx";

const AUDIT = auditOf(null);

/** What administrators changed, with values before and after. */
export const AuditLogPage = () => <ListPage list={AUDIT} />;
