import Download from "@mui/icons-material/DownloadOutlined";
import Receipt from "@mui/icons-material/ReceiptLongOutlined";
import Button from "@mui/material/Button";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { COUNTRIES } from "../../../../src/domain/wallet/payments/tax/country-rules.ts";
import type { BillingProfile, ListedStatement } from "../../../../src/domain/wallet/statements/documents.ts";
import { useActing } from "../../../api/accounts/use-organization.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData } from "../../../api/client.ts";
import { statementApi } from "../../../api/groups.ts";
import { openFile } from "../../../components/display/DownloadButton.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { Row } from "../../../components/layout.tsx";
import { useOnceOpened } from "../../../components/once-opened.ts";
import { ListTable } from "../../../components/page/list/ListPage.tsx";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";
import { StatementDrawer } from "./StatementDrawer.tsx";
import { billingProfile, requestMovements, saveBillingProfile } from "./statement-calls.ts";
import { STATEMENT_COLUMNS, STATEMENT_NUMBER } from "./statement-columns.tsx";

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

const ProfileForm = ({ profile, onClose }: { profile: BillingProfile; onClose: () => void }) => {
  const { t, i18n } = useTranslation();
  return (
    <ResourceForm<BillingProfile>
      as="dialog"
      title={t("wallet.statements.profile.title")}
      action={t("wallet.statements.profile.save")}
      isNew={false}
      text={(name) => `wallet.statements.profile.${name}`}
      initial={profile}
      rejectedField={() => "taxId"}
      save={async (values) => {
        await saveBillingProfile(values);
        return t("wallet.statements.profile.saved");
      }}
      reload={[{ queryKey: WALLET_KEY }]}
      sections={() => [
        {
          fields: [
            {
              kind: "text",
              field: "name",
              hint: t("wallet.statements.profile.hint"),
              autoFocus: true,
              maxCharacters: 200,
            },
            { kind: "text", field: "address", rows: 3, maxCharacters: 1000 },
            { kind: "text", field: "taxId", maxCharacters: 100 },
            {
              kind: "select",
              field: "country",
              options: [
                ["", t("wallet.statements.profile.noCountry")],
                ...countriesIn(i18n.language).map(({ code, name }) => [code, name] as const),
              ],
            },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};

/** Every country by its name in a language, in that language's order. */
function countriesIn(language: string): Readonly<{ code: string; name: string }>[] {
  const names = new Intl.DisplayNames([language], { type: "region" });
  return COUNTRIES.map((code) => ({ code, name: names.of(code) ?? code })).sort((a, b) =>
    a.name.localeCompare(b.name, language),
  );
}

export const OWN_STATEMENTS: ResourceList<ListedStatement> = {
  text: (name) => `wallet.statements.${name}`,
  icon: Receipt,
  rows: {
    key: [...WALLET_KEY, "statements"],
    read: (query, signal) => readData(statementApi.user.statements.get({ query, fetch: { signal } })),
    defaultSort: "id",
  },
  rowId: ({ id }) => id,
  rowName: ({ number }) => number,
  unit: "wallet.statements.unit",
  columns: [STATEMENT_NUMBER, ...STATEMENT_COLUMNS],
  onRow: { open: ({ id }, close) => <StatementDrawer target={{ scope: "own", id }} onClose={close} /> },
  empty: { title: "wallet.statements.emptyTitle", body: "wallet.statements.emptyBody" },
};

/** The account's statements, the present month so far, and who they are made out to. */
export const StatementTable = () => {
  const { t } = useTranslation();
  const { may } = useActing();
  const [isDrafted, setDrafted] = useState(false);
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      <Row gap={2} wrap sx={{ mb: 3, rowGap: 2 }}>
        <Button onClick={() => setDrafted(true)}>{t("wallet.statements.thisMonth")}</Button>
        {may("wallet.topUp") && (
          <Button onClick={() => setEditing(true)}>{t("wallet.statements.profile.title")}</Button>
        )}
        {may("exports.download") && <MovementsButton />}
      </Row>
      <ListTable list={OWN_STATEMENTS} />
      {isDrafted && <StatementDrawer target={{ scope: "draft" }} onClose={() => setDrafted(false)} />}
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
