import Receipt from "@mui/icons-material/ReceiptLongOutlined";
import Button from "@mui/material/Button";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ListedStatement } from "../../../../src/domain/wallet/statements/documents.ts";
import { readData } from "../../../api/client.ts";
import { statementApi } from "../../../api/groups.ts";
import { PagedTable } from "../../../components/data-table/PagedTable.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { Row } from "../../../components/layout.tsx";
import { useActing } from "../../account/organizations/use-organization.ts";
import { BillingProfileDialog } from "./BillingProfileDialog.tsx";
import { StatementDrawer } from "./StatementDrawer.tsx";
import type { StatementRef } from "./statement-calls.ts";
import { statementColumns } from "./statement-columns.tsx";

/** The account's statements, the present month so far, and who they are made out to. */
export const StatementTable = () => {
  const { t } = useTranslation();
  const { may } = useActing();
  const [target, setTarget] = useState<StatementRef | null>(null);
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      <Row gap={2} wrap sx={{ mb: 3, rowGap: 2 }}>
        <Button onClick={() => setTarget({ scope: "draft" })}>{t("wallet.statements.thisMonth")}</Button>
        {may("wallet.topUp") && (
          <Button onClick={() => setEditing(true)}>{t("wallet.statements.profile.title")}</Button>
        )}
      </Row>
      <PagedTable<ListedStatement>
        name="statements"
        read={(query, signal) => readData(statementApi.user.statements.get({ query, fetch: { signal } }))}
        defaultSort="id"
        columns={statementColumns(t)}
        rowId={(row) => row.id}
        rowName={(row) => row.number}
        unit={t("wallet.statements.unit")}
        onOpen={({ id }) => setTarget({ scope: "own", id })}
        empty={
          <EmptyState
            icon={<Receipt />}
            title={t("wallet.statements.emptyTitle")}
            body={t("wallet.statements.emptyBody")}
          />
        }
      />
      {target && <StatementDrawer target={target} onClose={() => setTarget(null)} />}
      {isEditing && <BillingProfileDialog onClose={() => setEditing(false)} />}
    </>
  );
};
