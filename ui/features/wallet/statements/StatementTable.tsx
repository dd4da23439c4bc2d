import Receipt from "@mui/icons-material/ReceiptLongOutlined";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Party } from "../../../../db/schema/billing/statements.ts";
import type { ListedStatement } from "../../../../src/domain/wallet/statements/documents.ts";
import { readData } from "../../../api/client.ts";
import { statementApi } from "../../../api/groups.ts";
import { PagedTable } from "../../../components/data-table/PagedTable.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/inputs/use-checked-form.ts";
import { Field, Row } from "../../../components/layout.tsx";
import { useActing } from "../../account/organizations/use-organization.ts";
import { WALLET_KEY } from "../wallet-calls.ts";
import { StatementDrawer } from "./StatementDrawer.tsx";
import type { StatementRef } from "./statement-calls.ts";
import { billingProfile, saveBillingProfile } from "./statement-calls.ts";
import { statementColumns } from "./statement-columns.tsx";

/** Who the account's next statements are made out to. */
const BillingProfileDialog = ({ onClose }: { onClose: () => void }) => {
  const { data, error } = useQuery(billingProfile);
  if (error) {
    notifyError(error);
    onClose();
  }
  return data ? <ProfileForm profile={data} onClose={onClose} /> : null;
};

const FIELDS = [
  { key: "name", max: 200 },
  { key: "address", max: 1000 },
  { key: "taxId", max: 100 },
] as const;

const ProfileForm = ({ profile, onClose }: { profile: Party; onClose: () => void }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { form, change, isSaving, submit } = useCheckedForm<Party>({
    initial: profile,
    send: async (values) => {
      await saveBillingProfile(values);
      await client.invalidateQueries({ queryKey: WALLET_KEY });
      notifyDone(t("wallet.statements.profile.saved"));
      onClose();
    },
  });
  return (
    <FormDialog
      title={t("wallet.statements.profile.title")}
      action={t("wallet.statements.profile.save")}
      isBusy={isSaving}
      onClose={onClose}
      onSubmit={submit}
    >
      {FIELDS.map(({ key, max }, index) => (
        <Field
          key={key}
          label={t(`wallet.statements.profile.${key}`)}
          htmlFor={`billing-${key}`}
          {...(key === "name" && { hint: t("wallet.statements.profile.hint") })}
        >
          <OutlinedInput
            id={`billing-${key}`}
            fullWidth
            autoFocus={index === 0}
            multiline={key === "address"}
            minRows={key === "address" ? 3 : 1}
            value={form[key]}
            onChange={(event) => change({ [key]: event.target.value })}
            inputProps={{ maxLength: max }}
          />
        </Field>
      ))}
    </FormDialog>
  );
};

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
