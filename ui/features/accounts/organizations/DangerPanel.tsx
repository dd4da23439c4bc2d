import Button from "@mui/material/Button";
import { useTranslation } from "react-i18next";
import { deleteOrganization, type Organization, removeMember } from "../../../api/accounts/organization-calls.ts";
import { useActing, useSwitchAccount } from "../../../api/accounts/use-organization.ts";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Panel } from "../../../components/layout.tsx";
import { Entry } from "../../../components/page/Entry.tsx";
import { useSession } from "../../../state/session.ts";

/** Leaving the organization, and for owners deleting it. */
export const DangerPanel = ({ organization }: { organization: Organization }) => {
  const { t } = useTranslation();
  const { user } = useSession();
  const { may } = useActing();
  const confirm = useConfirm();
  const switchAccount = useSwitchAccount();
  const name = organization.display_name || organization.username;
  const end = async (what: "leave" | "delete", work: () => Promise<unknown>) => {
    const isSure = await confirm({
      title: t(`organizations.${what}.confirm`, { name }),
      body: t(`organizations.${what}.body`),
      action: t(`organizations.${what}.action`),
      isDangerous: true,
    });
    if (!isSure) return;
    try {
      await work();
    } catch (error) {
      return notifyError(error);
    }
    notifyDone(t(`organizations.${what}.done`, { name }));
    switchAccount(null);
  };
  return (
    <Panel title={t("organizations.danger")}>
      <Entry
        title={t("organizations.leave.title")}
        action={
          <Button
            size="small"
            color="error"
            onClick={() => void end("leave", () => removeMember(organization.id, user?.id ?? 0))}
          >
            {t("organizations.leave.action")}
          </Button>
        }
      >
        {t("organizations.leave.body")}
      </Entry>
      {may("organization.delete") && (
        <Entry
          title={t("organizations.delete.title")}
          action={
            <Button
              size="small"
              color="error"
              onClick={() => void end("delete", () => deleteOrganization(organization.id))}
            >
              {t("organizations.delete.action")}
            </Button>
          }
        >
          {t("organizations.delete.hint")}
        </Entry>
      )}
    </Panel>
  );
};
