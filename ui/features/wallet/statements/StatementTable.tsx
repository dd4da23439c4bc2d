import Download from "@mui/icons-material/DownloadOutlined";
import Receipt from "@mui/icons-material/ReceiptLongOutlined";
import Button from "@mui/material/Button";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ListedStatement } from "../../../../src/domain/wallet/statements/documents.ts";
import { readData } from "../../../api/client.ts";
import { statementApi } from "../../../api/groups.ts";
import { PagedTable } from "../../../components/data-table/PagedTable.tsx";
import { openFile } from "../../../components/display/DownloadButton.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { Row } from "../../../components/layout.tsx";
import { useActing } from "../../account/organizations/use-organization.ts";
import { BillingProfileDialog } from "./BillingProfileDialog.tsx";
import { StatementDrawer } from "./StatementDrawer.tsx";
import { requestMovements, type StatementRef } from "./statement-calls.ts";
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
        {may("exports.download") && <MovementsButton />}
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

const CHARGES = ["day", "call"] as const;

/** Downloads everything that changed the balance as one file. */
const MovementsButton = () => {
  const { t } = useTranslation();
  const { may } = useActing();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const download = useMutation({ mutationFn: requestMovements, onSuccess: openFile, onError: notifyError });
  return (
    <>
      <Button
        startIcon={<Download />}
        loading={download.isPending}
        loadingPosition="start"
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {t("wallet.statements.movements.title")}
      </Button>
      <Menu open={anchor !== null} anchorEl={anchor} onClose={() => setAnchor(null)}>
        {(may("requests.read") ? CHARGES : CHARGES.slice(0, 1)).map((charges) => (
          <MenuItem
            key={charges}
            onClick={() => {
              setAnchor(null);
              download.mutate(charges);
            }}
          >
            {t(`wallet.statements.movements.${charges}`)}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
};
