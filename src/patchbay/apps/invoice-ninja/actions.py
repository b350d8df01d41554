"""Actions for clients, payments, and products."""

from patchbay.integration import dropdown, request_action, text

from .choices import CURRENCIES, LANGUAGES, PAYMENT_TYPES
from .countries import COUNTRIES
from .fields import DATE, four, four_values, tax_values, taxes

create_client = request_action(
    key="createClient",
    name="Create client",
    description="Creates a client with one contact.",
    arguments=(
        text("clientName", "Name"),
        text("contactFirstName", "Contact: first name"),
        text("contactLastName", "Contact: last name"),
        text("contactEmail", "Contact: email"),
        text("contactPhone", "Contact: phone"),
        dropdown("languageCode", "Language", LANGUAGES, variables=True),
        dropdown("currencyCode", "Currency", CURRENCIES, variables=True),
        text("idNumber", "ID number"),
        text("vatNumber", "VAT number"),
        text("streetAddress", "Street"),
        text("aptSuite", "Apartment or suite"),
        text("city", "City"),
        text("stateProvince", "State or province"),
        text("postalCode", "Postal code"),
        dropdown("countryCode", "Country", COUNTRIES, variables=True),
        text("shippingStreetAddress", "Shipping: street"),
        text("shippingAptSuite", "Shipping: apartment or suite"),
        text("shippingCity", "Shipping: city"),
        text("shippingStateProvince", "Shipping: state or province"),
        text("shippingPostalCode", "Shipping: postal code"),
        text(
            "shippingCountryCode",
            "Shipping: country",
            description="The number of the country (ISO 3166-1) without leading zeros, such as 276.",
        ),
        text("privateNotes", "Private notes", multiline=True),
        text("publicNotes", "Public notes", multiline=True),
        text("website", "Website"),
        *four("customValue", "Custom value"),
    ),
    request="POST /v1/clients",
    body={
        "name": "{clientName}",
        "contacts": [
            {
                "first_name": "{contactFirstName}",
                "last_name": "{contactLastName}",
                "email": "{contactEmail}",
                "phone": "{contactPhone}",
            }
        ],
        "settings": {"language_id": "{languageCode:text}", "currency_id": "{currencyCode:text}"},
        "id_number": "{idNumber}",
        "vat_number": "{vatNumber}",
        "address1": "{streetAddress}",
        "address2": "{aptSuite}",
        "city": "{city}",
        "state": "{stateProvince}",
        "postal_code": "{postalCode}",
        "country_id": "{countryCode:text}",
        "shipping_address1": "{shippingStreetAddress}",
        "shipping_address2": "{shippingAptSuite}",
        "shipping_city": "{shippingCity}",
        "shipping_state": "{shippingStateProvince}",
        "shipping_postal_code": "{shippingPostalCode}",
        "shipping_country_id": "{shippingCountryCode:text}",
        "private_notes": "{privateNotes}",
        "public_notes": "{publicNotes}",
        "website": "{website}",
        **four_values("customValue", "custom_value"),
    },
    output="data",
)

create_payment = request_action(
    key="createPayment",
    name="Create payment",
    description="Records a payment of a client, for an invoice or without one.",
    arguments=(
        dropdown("clientId", "Client", source="listClients", required=True, variables=True),
        text("paymentDate", "Date", description=DATE),
        dropdown("invoiceId", "Invoice", source="listInvoices", variables=True),
        text("invoiceAmount", "Amount", description="How much of the invoice is paid."),
        dropdown("paymentType", "Type", PAYMENT_TYPES, variables=True),
        text("transferReference", "Transaction reference"),
        text("privateNotes", "Private notes", multiline=True),
    ),
    request="POST /v1/payments",
    body={
        "client_id": "{clientId}",
        "date": "{paymentDate}",
        "invoices": [{"invoice_id": "{invoiceId}", "amount": "{invoiceAmount:number}"}],
        "type_id": "{paymentType:text}",
        "transaction_reference": "{transferReference}",
        "private_notes": "{privateNotes}",
    },
    output="data",
)

create_product = request_action(
    key="createProduct",
    name="Create product",
    description="Creates a product that invoices can list.",
    arguments=(
        text("productKey", "Name"),
        text("notes", "Description", multiline=True),
        text("price", "Price"),
        text("quantity", "Quantity", description="What invoices list unless it's changed there."),
        *taxes(""),
        *four("customValue", "Custom value"),
    ),
    request="POST /v1/products",
    body={
        "product_key": "{productKey}",
        "notes": "{notes}",
        "price": "{price:number}",
        "quantity": "{quantity:number}",
        **tax_values(),
        **four_values("customValue", "custom_value"),
    },
    output="data",
)
