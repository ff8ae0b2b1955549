import { ProviderNotice } from "./identity-provider.tsx";

export default ProviderNotice;
