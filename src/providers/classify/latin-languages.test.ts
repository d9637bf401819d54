/** The same failures in languages of Europe, under a number of the vendor and a status that means nothing. */
import { expect, it } from 'vitest';
import { classify } from './classify.ts';

const SAID: readonly (readonly [kind: string, sentences: readonly string[]])[] = [
  [
    'provider.unsupported configuration',
    [
      'Esta función no es compatible con el modelo',
      'El idioma de destino no está soportado',
      "Cette langue n'est pas prise en charge",
      'Diese Sprache wird nicht unterstützt',
      'Este idioma não é suportado',
      'Questa lingua non è supportata',
      'Ten język nie jest obsługiwany',
    ],
  ],
  [
    'provider.request_too_large content',
    [
      'El texto supera el límite de caracteres permitido',
      'El archivo es demasiado grande',
      'Le fichier est trop volumineux',
      'Le texte dépasse la limite de 5000 caractères',
      'Die Datei ist zu groß',
      'Der Text überschreitet die maximale Zeichenzahl',
      'O arquivo é muito grande',
      'Il file è troppo grande',
      'Plik jest za duży',
    ],
  ],
  [
    'provider.timeout transient',
    [
      'Se agotó el tiempo de espera de la solicitud',
      "Le délai d'attente est dépassé",
      'Zeitüberschreitung bei der Anfrage',
      'O tempo limite da solicitação foi excedido',
      'Tempo scaduto per la richiesta',
    ],
  ],
  [
    'provider.invalid_request configuration',
    [
      'Falta un parámetro obligatorio',
      'El valor del parámetro no es válido',
      'Un paramètre requis est manquant',
      'La valeur du paramètre est invalide',
      'Ein Pflichtparameter fehlt',
      'Ungültiger Parameter',
      'Parâmetro obrigatório ausente',
      'Parametro obbligatorio mancante',
      'Nieprawidłowy parametr',
    ],
  ],
  [
    'provider.model_not_found configuration',
    [
      'El modelo solicitado no existe',
      "Le modèle demandé n'existe pas",
      'Das angeforderte Modell existiert nicht',
      'O modelo solicitado não existe',
      'Il modello richiesto non esiste',
    ],
  ],
  [
    'provider.server_error transient',
    [
      'Error del sistema',
      'Erreur système',
      'Systemfehler',
      'Erro do sistema',
      'Errore di sistema',
      'Błąd systemu',
    ],
  ],
  [
    'provider.content_filter content',
    [
      'El contenido infringe nuestras políticas',
      'Le contenu enfreint notre politique',
      'Der Inhalt verstößt gegen unsere Richtlinien',
      'O conteúdo viola nossas políticas',
      'Il contenuto viola le nostre norme',
    ],
  ],
];

const CASES = SAID.flatMap(([kind, sentences]) => sentences.map((said) => [said, kind] as const));

it.each(CASES)('understands: %s', (message, expected) => {
  const { kind, category } = classify({
    operation: 'generate',
    status: 200,
    headers: {},
    body: { code: 31_407, msg: message },
    phase: 'headers',
    delivered: false,
    source: 'test',
  });
  expect(`${kind} ${category}`).toBe(expected);
});
