import Robot from "@mui/icons-material/SmartToyOutlined";
import Rotate from "@mui/icons-material/SyncOutlined";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAction } from "../../../components/feedback/use-action.ts";
import { ResourcePage } from "../../../components/page/ResourcePage.tsx";
import { deleteServiceAccount, rotateServiceToken, type ServiceAccount, serviceAccounts } from "./access-calls.ts";
import { ServiceAccountDrawer } from "./ServiceAccountDrawer.tsx";
import { isExpired, useServiceAccountColumns } from "./service-account-columns.tsx";
import { TokenDialog } from "./TokenDialog.tsx";

/** Accounts of programs that call the management API. */
export const ServiceAccountsPage = () => {
  const { t } = useTranslation();
  const [issued, setIssued] = useState<{ name: string; token: string } | null>(null);
  const onToken = (name: string, token: string) => setIssued({ name, token });
  const rotate = useRotate(onToken);
  return (
    <>
      <ResourcePage
        text={(name) => `access.accounts.${name}`}
        list={useQuery(serviceAccounts)}
        columns={useServiceAccountColumns()}
        icon={<Robot />}
        actions={(account, edit) => [
          edit,
          { label: t("access.accounts.rotate"), icon: <Rotate />, onSelect: () => void rotate(account) },
        ]}
        remove={deleteServiceAccount}
        isDim={isExpired}
        drawer={(account, onClose) => <ServiceAccountDrawer account={account} onClose={onClose} onCreated={onToken} />}
      />
      {issued && (
        <TokenDialog
          title={t("access.accounts.tokenTitle", { name: issued.name })}
          token={issued.token}
          onClose={() => setIssued(null)}
        />
      )}
    </>
  );
};

function useRotate(onToken: (name: string, token: string) => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useAction(() => client.invalidateQueries(serviceAccounts));
  return ({ id, name }: ServiceAccount) =>
    act({
      question: {
        title: t("access.accounts.rotateTitle", { name }),
        body: t("access.accounts.rotateBody"),
        action: t("access.accounts.rotate"),
        isDangerous: true,
      },
      work: async () => onToken(name, (await rotateServiceToken(id)).token),
    });
}
