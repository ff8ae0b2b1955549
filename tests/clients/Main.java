// Three calls with the client that openapi-generator made: see scripts/check-clients.ts.
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.FormsApi;
import org.openapitools.client.model.CreateFormRequest;

public class Main {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("SEALPOST_URL"));
    client.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + System.getenv("SEALPOST_TOKEN")));
    FormsApi forms = new FormsApi(client);
    String id = forms.createForm(new CreateFormRequest().name("Made in Java")).getForm().getId();
    var form = forms.getForm(id).getForm();
    var list = forms.listForms(100, null);
    System.out.println(
        form.getName()
            + " "
            + form.getSettings().getEncryption()
            + " "
            + list.getForms().get(0).getId().equals(id)
            + " "
            + (list.getNextCursor() == null));
  }
}
