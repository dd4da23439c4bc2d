import Download from "@mui/icons-material/DownloadOutlined";
import Receipt from "@mui/icons-material/ReceiptLongOutlined";
import Button from "@mui/material/Button";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { COUNTRIES } from "../../../../src/domain/wallet/payments/tax/country-rules.ts";
import type { BillingProfile, ListedStatement } from "../../../../src/domain/wallet/statements/documents.ts";
import { useActing } from "../../../api/accounts/use-organization.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData } from "../../../api/client.ts";
import { statementApi } from "../../../api/groups.ts";
import { PagedTable } from "../../../components/data-table/PagedTable.tsx";
import { openFile } from "../../../components/display/DownloadButton.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { Field, Row } from "../../../components/layout.tsx";
import { useOnceOpened } from "../../../components/once-opened.ts";
import { StatementDrawer } from "./StatementDrawer.tsx";
import { billingProfile, requestMovements, type StatementRef, saveBillingProfile } from "./statement-calls.ts";
import { statementColumns } from "./statement-columns.tsx";

/** Who the account's next statements are made out to. */
const BillingProfileDialog = ({ onClose }: { onClose: () => void }) => {
  const { data, error } = useQuery(billingProfile);
  useEffect(() => {
    if (!error) return;
    notifyError(error);
    onClose();
  }, [error, onClose]);
  return data ? <ProfileForm profile={data} onClose={onClose} /> : null;
};

const FIELDS = [
  { key: "name", max: 200 },
  { key: "address", max: 1000 },
  { key: "taxId", max: 100 },
] as const;

const ProfileForm = ({ profile, onClose }: { profile: BillingProfile; onClose: () => void }) => {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const { form, change, isSaving, problem, submit } = useCheckedForm<BillingProfile>({
    initial: profile,
    rejection: "inline",
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
          {...(key === "taxId" && { error: problem })}
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
      <Field label={t("wallet.statements.profile.country")} htmlFor="billing-country">
        <Select
          fullWidth
          displayEmpty
          value={form.country}
          onChange={(event) => change({ country: event.target.value })}
          inputProps={{ id: "billing-country", "aria-label": t("wallet.statements.profile.country") }}
        >
          <MenuItem value="">{t("wallet.statements.profile.noCountry")}</MenuItem>
          {countriesIn(i18n.language).map(({ code, name }) => (
            <MenuItem key={code} value={code}>
              {name}
            </MenuItem>
          ))}
        </Select>
      </Field>
    </FormDialog>
  );
};

/** Every country by its name in a language, in that language's order. */
function countriesIn(language: string): Readonly<{ code: string; name: string }>[] {
  const names = new Intl.DisplayNames([language], { type: "region" });
  return COUNTRIES.map((code) => ({ code, name: names.of(code) ?? code })).sort((a, b) =>
    a.name.localeCompare(b.name, language),
  );
}

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
  const wasOpened = useOnceOpened(anchor !== null);
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
      {wasOpened && (
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
      )}
    </>
  );
};
