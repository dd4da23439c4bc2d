import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { groupNames } from "../../../api/channels/channel-lists.ts";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { Money } from "../../../components/display/Money.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { SideDrawer } from "../../../components/feedback/SideDrawer.tsx";
import { optionsOf } from "../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { useAccountLimits } from "../../../state/site-status.ts";
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
  const groups = useQuery(groupNames).data ?? [];
  const isNew = user === null;
  const limits = useAccountLimits();
  // A failed request for want of balance leads here.
  const { text, set } = useAddress();
  const [isAddingQuota, setAddingQuota] = useState(() => text("quota") !== "");
  const closeQuota = () => {
    setAddingQuota(false);
    set({ quota: undefined });
  };
  const quota = useQuery({ ...userById(user?.id ?? 0), enabled: user !== null }).data?.quota ?? user?.quota ?? 0;
  const save = async (form: UserForm, initial: UserForm) => {
    if (user) await updateUser(user.id, changesOf(initial, form));
    else await addUser(bodyOf(form));
    return t(isNew ? "users.added" : "users.saved", { name: form.username.trim() });
  };
  return (
    <>
      <ResourceForm<UserForm>
        hasDraft
        title={user ? t("users.form.editTitle", { name: user.username }) : t("users.form.addTitle")}
        action={t(isNew ? "users.form.add" : "users.form.save")}
        isNew={isNew}
        isShort
        text={(name) => `users.form.${name}`}
        initial={formOf(user)}
        check={(form) => checkUserForm(form, user && formOf(user), limits)}
        fault={(fault) => t(`users.form.errors.${fault}`, limits)}
        isChanged={(form, initial) => Object.keys(changesOf(initial, form)).length > 0}
        save={save}
        reload={[{ queryKey: USERS_KEY }]}
        sections={({ group }) => [
          {
            title: t("users.form.account"),
            fields: [
              {
                kind: "text",
                field: "username",
                label: t("users.columns.username"),
                hint: t("users.form.usernameHint", limits),
                autoFocus: isNew,
              },
              { kind: "text", field: "displayName", label: t("users.columns.displayName") },
              {
                kind: "password",
                field: "password",
                hint: t(isNew ? "users.form.passwordHint" : "users.form.passwordKeepHint", limits),
              },
            ],
          },
          user && {
            title: t("users.form.quotaAndGroup"),
            fields: [
              <Field key="quota" label={t("users.columns.quota")}>
                <Row gap={3}>
                  <Money quota={quota} strong />
                  <Button size="small" onClick={() => setAddingQuota(true)}>
                    {t("users.quota.open")}
                  </Button>
                </Row>
              </Field>,
              {
                kind: "select",
                field: "group",
                label: t("users.columns.group"),
                hint: true,
                options: optionsOf([...new Set([group, ...groups])], String),
              },
            ],
          },
          user && {
            title: t("users.form.limits"),
            hint: t("users.form.limitsHint"),
            fields: [
              { kind: "text", field: "maxConcurrency" },
              { kind: "text", field: "perMinute" },
            ],
          },
          user && {
            title: t("users.form.bindings"),
            hint: t("users.form.bindingsHint"),
            fields: [
              <KeyValue
                key="bindings"
                items={bindingsOf(user).map(({ name, value }) => [t(`users.bindings.${name}`), value || "–"] as const)}
              />,
            ],
          },
          user && { title: t("users.columns.note"), fields: [{ kind: "text", field: "note", hint: true, rows: 2 }] },
        ]}
        onClose={onClose}
      />
      {user && isAddingQuota && <QuotaDialog user={{ ...user, quota }} onClose={closeQuota} />}
    </>
  );
};
