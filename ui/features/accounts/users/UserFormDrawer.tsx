import Button from "@mui/material/Button";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import Skeleton from "@mui/material/Skeleton";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { ACCOUNT_LIMITS } from "../../../../src/domain/accounts/account-rules.ts";
import { groupNames } from "../../../api/channels/channel-lists.ts";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { Money } from "../../../components/display/Money.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { FormDrawer } from "../../../components/feedback/FormDrawer.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Section, SideDrawer } from "../../../components/feedback/SideDrawer.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { PasswordInput } from "../../../components/inputs/LabelledInput.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import { bindingsOf, USERS_KEY, type User, userById } from "./user.ts";
import { QuotaDialog } from "./user-dialogs.tsx";
import { addUser, bodyOf, changesOf, checkUserForm, formOf, type UserForm, updateUser } from "./user-form.ts";

/** Creates a user (id null), or edits one after loading it. */
export const UserDrawer = ({ id, onClose }: { id: number | null; onClose: () => void }) =>
  id === null ? <UserFormDrawer user={null} onClose={onClose} /> : <EditDrawer id={id} onClose={onClose} />;

const EditDrawer = ({ id, onClose }: { id: number; onClose: () => void }) => {
  const { t } = useTranslation();
  const user = useQuery({ ...userById(id), staleTime: Number.POSITIVE_INFINITY });
  if (user.data) return <UserFormDrawer user={user.data} onClose={onClose} />;
  return (
    <SideDrawer
      title={t("users.form.editTitle", { name: `#${id}` })}
      onClose={onClose}
      footer={(close) => <Button onClick={close}>{t("components.close")}</Button>}
    >
      {user.error ? (
        <ErrorState error={user.error} onRetry={() => user.refetch()} />
      ) : (
        <Skeleton variant="rounded" height={320} />
      )}
    </SideDrawer>
  );
};

/** The form of a user; null: a new user. */
const UserFormDrawer = ({ user, onClose }: { user: User | null; onClose: () => void }) => {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const groups = useQuery(groupNames).data ?? [];
  const isNew = user === null;
  const state = useCheckedForm({
    initial: formOf(user),
    check: (form) => checkUserForm(form, user && formOf(user)),
    send: async (form) => {
      if (user) await updateUser(user.id, changesOf(state.initial, form));
      else await addUser(bodyOf(form));
      notifyDone(t(isNew ? "users.added" : "users.saved", { name: form.username.trim() }));
      void client.invalidateQueries({ queryKey: USERS_KEY });
      onClose();
    },
  });
  const { form, change, faults } = state;
  const [isAddingQuota, setAddingQuota] = useState(false);
  const quota = useQuery({ ...userById(user?.id ?? 0), enabled: user !== null }).data?.quota ?? user?.quota ?? 0;
  const text = (field: keyof UserForm, label: string, hint?: string, isMultiline = false) => (
    <Field
      key={field}
      label={label}
      htmlFor={`${id}${field}`}
      hint={hint}
      error={faults[field] && t(`users.form.errors.${faults[field]}`, ACCOUNT_LIMITS)}
    >
      <OutlinedInput
        id={`${id}${field}`}
        fullWidth
        multiline={isMultiline}
        minRows={isMultiline ? 2 : 1}
        autoComplete="off"
        autoFocus={isNew && field === "username"}
        value={form[field]}
        error={faults[field] !== undefined}
        onChange={(event) => change({ [field]: event.target.value })}
      />
    </Field>
  );
  return (
    <FormDrawer
      state={state}
      title={user ? t("users.form.editTitle", { name: user.username }) : t("users.form.addTitle")}
      action={t(isNew ? "users.form.add" : "users.form.save")}
      isNew={isNew}
      isShort
      isDirty={Object.keys(changesOf(state.initial, form)).length > 0}
      onClose={onClose}
    >
      <Section title={t("users.form.account")}>
        {text("username", t("users.columns.username"), t("users.form.usernameHint"))}
        {text("displayName", t("users.columns.displayName"))}
        <Field
          label={t("users.form.password")}
          htmlFor={`${id}password`}
          hint={t(isNew ? "users.form.passwordHint" : "users.form.passwordKeepHint")}
          error={faults.password && t(`users.form.errors.${faults.password}`, ACCOUNT_LIMITS)}
        >
          <PasswordInput
            id={`${id}password`}
            name="password"
            autoComplete="new-password"
            value={form.password}
            onChange={(password) => change({ password })}
            hasError={faults.password !== undefined}
          />
        </Field>
      </Section>
      {user && (
        <>
          <Section title={t("users.form.quotaAndGroup")}>
            <Field label={t("users.columns.quota")}>
              <Row gap={3}>
                <Money quota={quota} strong />
                <Button size="small" onClick={() => setAddingQuota(true)}>
                  {t("users.quota.open")}
                </Button>
              </Row>
            </Field>
            <Field label={t("users.columns.group")} hint={t("users.form.groupHint")}>
              <Select
                fullWidth
                value={form.group}
                onChange={(event) => change({ group: event.target.value })}
                inputProps={{ "aria-label": t("users.columns.group") }}
              >
                {[...new Set([form.group, ...groups])].map((group) => (
                  <MenuItem key={group} value={group}>
                    {group}
                  </MenuItem>
                ))}
              </Select>
            </Field>
          </Section>
          <Section title={t("users.form.limits")} hint={t("users.form.limitsHint")}>
            {text("maxConcurrency", t("users.form.maxConcurrency"))}
            {text("perMinute", t("users.form.perMinute"))}
          </Section>
          <Section title={t("users.form.bindings")} hint={t("users.form.bindingsHint")}>
            <KeyValue
              items={bindingsOf(user).map(({ name, value }) => [t(`users.bindings.${name}`), value || "–"] as const)}
            />
          </Section>
          <Section title={t("users.columns.note")}>
            {text("note", t("users.form.note"), t("users.form.noteHint"), true)}
          </Section>
        </>
      )}
      {user && isAddingQuota && <QuotaDialog user={{ ...user, quota }} onClose={() => setAddingQuota(false)} />}
    </FormDrawer>
  );
};
