// A worker of the page: holds one instance of the verifier, and answers one request after another.
import type { Answer, Request } from './messages';
import { Verifier } from './verifier';

let verifier: Verifier | undefined;

function opened(): Verifier {
  if (verifier === undefined) {
    throw new Error('no bundle is open');
  }
  return verifier;
}

function answer(request: Request): Answer {
  switch (request.kind) {
    case 'open': {
      verifier = new Verifier(request.program);
      verifier.open(new Uint8Array(request.bundle));
      for (const module of request.modules) {
        verifier.addModule(new Uint8Array(module));
      }
      return { kind: 'opened', summary: verifier.summary() };
    }
    case 'check': {
      const findings = opened().check((name) => {
        send({ kind: 'game', name });
      });
      return { kind: 'checked', findings };
    }
    case 'replay':
      return { kind: 'replayed', result: opened().replay(request.name) };
    case 'verdict': {
      const { findings, outcomes, commitment } = request;
      return { kind: 'verdict', verdict: opened().verdict(findings, outcomes, commitment) };
    }
  }
}

function send(message: Answer): void {
  self.postMessage(message);
}

self.onmessage = (event: MessageEvent<Request>): void => {
  try {
    send(answer(event.data));
  } catch (error) {
    send({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }
};
