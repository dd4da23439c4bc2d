import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Organization, renameOrganization, transferQuota } from "../../../api/accounts/organization-calls.ts";
import { self } from "../../../api/accounts/self-calls.ts";
import { useActing } from "../../../api/accounts/use-organization.ts";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { Field, Panel, Row } from "../../../components/layout.tsx";
import { warnedBalance } from "../../alerts/alert-link.ts";
import { Lasts } from "../../alerts/Lasts.tsx";

/** The name that members see. */
export const ProfilePanel = ({ organization }: { organization: Organization }) => {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const [name, setName] = useState(organization.display_name);
  const rename = useMutation({
    mutationFn: () => renameOrganization(organization.id, name.trim()),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["self"] });
      notifyDone(t("organizations.rename.done"));
    },
  });
  return (
    <Panel title={t("organizations.rename.title")}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate();
        }}
      >
        <Field label={t("organizations.name")} htmlFor={id} error={rename.error?.message}>
          <Row>
            <OutlinedInput
              id={id}
              fullWidth
              autoComplete="off"
              value={name}
              error={rename.isError}
              onChange={(event) => {
                setName(event.target.value);
                rename.reset();
              }}
            />
            <Button type="submit" loading={rename.isPending} disabled={name.trim() === organization.display_name}>
              {t("organizations.rename.action")}
            </Button>
          </Row>
        </Field>
      </form>
    </Panel>
  );
};

type Direction = "in" | "out";

/** The balance, and moving it between this wallet and the user's own. */
export const WalletPanel = ({ organization }: { organization: Organization }) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const { may } = useActing();
  const [direction, setDirection] = useState<Direction | null>(null);
  return (
    <Panel
      title={t("organizations.wallet.title")}
      action={
        <Row gap={2}>
          {may("wallet.topUp") && (
            <Button size="small" onClick={() => setDirection("in")}>
              {t("organizations.wallet.in.open")}
            </Button>
          )}
          {may("wallet.withdraw") && (
            <Button size="small" onClick={() => setDirection("out")}>
              {t("organizations.wallet.out.open")}
            </Button>
          )}
        </Row>
      }
    >
      <Box className="num" sx={{ fontSize: 24, lineHeight: "32px", fontWeight: 650 }}>
        {amountText(organization.quota, format)}
      </Box>
      {may("usage.read") && (
        <Lasts
          of="account"
          id={organization.id}
          balance={organization.quota}
          alert={
            may("alerts.manage")
              ? (daily) => ({ scope: "organization", event: "balance_low", threshold: warnedBalance(daily) })
              : null
          }
        />
      )}
      <Box sx={{ fontSize: 12, color: "text.secondary" }}>
        {t("organizations.wallet.used", { amount: amountText(organization.used_quota, format) })}
      </Box>
      {direction && (
        <TransferDialog organization={organization} direction={direction} onClose={() => setDirection(null)} />
      )}
    </Panel>
  );
};

type TransferProps = { organization: Organization; direction: Direction; onClose: () => void };

const TransferDialog = ({ organization, direction, onClose }: TransferProps) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const own = useQuery(self).data?.quota ?? 0;
  const available = direction === "in" ? own : organization.quota;
  const isTooLarge = (quota: string) => Number(quota) > available;
  return (
    <ResourceForm
      as="dialog"
      title={t(`organizations.wallet.${direction}.title`)}
      action={t(`organizations.wallet.${direction}.action`)}
      isNew
      text={(name) => `organizations.wallet.${name}`}
      initial={{ quota: "" }}
      isComplete={({ quota }) => Number.isSafeInteger(Number(quota)) && Number(quota) > 0 && !isTooLarge(quota)}
      rejectedField={() => "quota"}
      save={async ({ quota }) => {
        await transferQuota(organization.id, direction, Number(quota));
        return t("organizations.wallet.moved");
      }}
      reload={[{ queryKey: ["self"] }]}
      sections={({ quota }) => [
        {
          fields: [
            {
              kind: "quota",
              field: "quota",
              hint: t("organizations.wallet.available", { amount: amountText(available, format) }),
              error: isTooLarge(quota) && t("organizations.wallet.tooLarge"),
            },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
