import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Checkbox from "@mui/material/Checkbox";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Right } from "../../../../src/domain/accounts/access/access-rules.ts";
import { isRight, RESOURCES, type Resource } from "../../../../src/domain/accounts/access/access-rules.ts";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Section, SideDrawer } from "../../../components/feedback/SideDrawer.tsx";
import { DateTimeInput } from "../../../components/inputs/date-time/DateTimeInput.tsx";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { useCheckedForm } from "../../../components/inputs/use-checked-form.ts";
import { Field } from "../../../components/layout.tsx";
import {
  createServiceAccount,
  type ServiceAccount,
  serviceAccounts,
  updateServiceAccount,
} from "./service-account-calls.ts";

type RightsMatrixProps = Readonly<{ value: readonly Right[]; onChange: (rights: Right[]) => void }>;

const VERBS = ["read", "write", "act"] as const;
const resources = Object.keys(RESOURCES) as readonly Resource[];

/** Rights as a table: resources down, what can be done with each across. */
const RightsMatrix = ({ value, onChange }: RightsMatrixProps) => {
  const { t } = useTranslation();
  const toggle = (right: Right, isOn: boolean) =>
    onChange(isOn ? [...value, right] : value.filter((other) => other !== right));
  return (
    <Box component="table" sx={{ borderCollapse: "collapse", width: "100%", fontSize: 13 }}>
      <thead>
        <tr>
          <Box component="th" scope="col" sx={{ textAlign: "left", fontWeight: 550, py: 1 }}>
            {t("access.rights.resource")}
          </Box>
          {VERBS.map((verb) => (
            <Box key={verb} component="th" scope="col" sx={{ fontWeight: 550, py: 1, width: 72 }}>
              {t(`access.rights.verbs.${verb}`)}
            </Box>
          ))}
        </tr>
      </thead>
      <tbody>
        {resources.map((resource) => (
          <Box key={resource} component="tr" sx={{ borderTop: "1px solid", borderColor: "line.faint" }}>
            <Box component="th" scope="row" sx={{ textAlign: "left", fontWeight: 400, py: 1, pr: 2 }}>
              {t(`access.rights.resources.${resource}`)}
              <Box sx={{ fontSize: 12, color: "text.tertiary" }}>{t(`access.rights.hints.${resource}`)}</Box>
            </Box>
            {VERBS.map((verb) => {
              const right = `${resource}:${verb}`;
              return (
                <Box key={verb} component="td" sx={{ textAlign: "center" }}>
                  {isRight(right) && (
                    <Checkbox
                      size="small"
                      checked={value.includes(right)}
                      onChange={({ target }) => toggle(right, target.checked)}
                      slotProps={{
                        input: {
                          "aria-label": `${t(`access.rights.resources.${resource}`)}: ${t(`access.rights.verbs.${verb}`)}`,
                        },
                      }}
                    />
                  )}
                </Box>
              );
            })}
          </Box>
        ))}
      </tbody>
    </Box>
  );
};

type ServiceAccountDrawerProps = Readonly<{
  /** Null: a new one. */
  account: ServiceAccount | null;
  onClose: () => void;
  /** Called with the token of a new account. */
  onCreated: (name: string, token: string) => void;
}>;

/** `expires`: null never, undefined no valid time. */
type Form = { name: string; rights: readonly Right[]; expires: number | null | undefined };

const LONGEST_NAME = 40;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Creates a service account, or changes its rights and expiry. */
export const ServiceAccountDrawer = ({ account, onClose, onCreated }: ServiceAccountDrawerProps) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const send = async ({ name, rights, expires }: Form) => {
    const fields = { rights: [...rights], expires_time: expires ?? 0 };
    if (account) {
      await updateServiceAccount(account.id, fields);
      notifyDone(t("access.accounts.saved", { name: account.name }));
    } else {
      const created = await createServiceAccount({ name: name.trim(), ...fields });
      onCreated(created.name, created.token);
    }
    void client.invalidateQueries(serviceAccounts);
    onClose();
  };
  const { body, initial, form, change, faults, isSaving, submit } = useCheckedForm({
    initial: {
      name: account?.name ?? "",
      rights: account?.rights ?? [],
      expires: account && account.expires_time > 0 ? account.expires_time : null,
    } satisfies Form,
    check: ({ name, rights, expires }: Form) => ({
      ...(!account && !NAME.test(name.trim()) && { name: "name" as const }),
      ...(rights.length === 0 && { rights: "rights" as const }),
      ...(expires === undefined && { expires: "expires" as const }),
    }),
    send,
  });
  const isDirty = JSON.stringify(initial) !== JSON.stringify(form);
  return (
    <SideDrawer
      title={account ? t("access.accounts.editTitle", { name: account.name }) : t("access.accounts.add")}
      isDirty={isDirty && !isSaving}
      onClose={onClose}
      footer={(close) => (
        <>
          <Box sx={{ flex: 1 }} />
          <Button onClick={close}>{t("components.cancel")}</Button>
          <Button
            variant="contained"
            color="primary"
            loading={isSaving}
            disabled={account !== null && !isDirty}
            onClick={submit}
          >
            {t(account ? "access.accounts.save" : "access.accounts.add")}
          </Button>
        </>
      )}
    >
      <Box ref={body}>
        <Section title={t("access.accounts.general")}>
          {account === null && (
            <LabelledInput
              label={t("access.accounts.columns.name")}
              hint={t("access.accounts.nameHint")}
              error={faults.name && t("access.accounts.nameHint")}
              name="service-account-name"
              maxCharacters={LONGEST_NAME}
              value={form.name}
              onChange={(name) => change({ name })}
            />
          )}
          <Field
            label={t("access.accounts.columns.expires")}
            hint={t("access.accounts.expiresHint")}
            error={faults.expires && t("access.accounts.expiresInvalid")}
          >
            <DateTimeInput
              label={t("access.accounts.columns.expires")}
              value={form.expires ?? null}
              hasError={faults.expires !== undefined}
              onChange={(expires) => change({ expires })}
            />
          </Field>
        </Section>
        <Section title={t("access.rights.title")} hint={t("access.rights.hint")}>
          {faults.rights && (
            <Box role="alert" sx={{ fontSize: 12, color: "tone.bad.text" }}>
              {t("access.rights.required")}
            </Box>
          )}
          <RightsMatrix value={form.rights} onChange={(rights) => change({ rights })} />
        </Section>
      </Box>
    </SideDrawer>
  );
};
