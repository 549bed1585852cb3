// A worker that plays: holds one instance of the program, and answers one request after another.
import type { Answer, Request } from './messages';
import { Player } from './player';

let player: Player | undefined;

function loaded(): Player {
  if (player === undefined) {
    throw new Error('no engine is loaded');
  }
  return player;
}

const moduleOf = (program: WebAssembly.Module | Uint8Array): WebAssembly.Module =>
  program instanceof WebAssembly.Module ? program : new WebAssembly.Module(program as Uint8Array<ArrayBuffer>);

function answer(request: Request): unknown {
  switch (request.kind) {
    case 'load':
      player = new Player(moduleOf(request.program), (report) => send({ kind: 'report', report }));
      player.load(request.engine);
      return null;
    case 'position':
      return loaded().position(request.query);
    case 'begin':
      return loaded().begin(request.query);
    case 'act':
      return loaded().act(request.action);
    case 'run':
      return loaded().run();
    case 'record':
      return loaded().record(request.date);
    case 'analyse':
      return loaded().analyse(request.query);
  }
}

function send(message: Answer): void {
  self.postMessage(message);
}

self.onmessage = ({ data }: MessageEvent<Request>): void => {
  try {
    send({ kind: 'answer', value: answer(data) });
  } catch (error) {
    send({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }
};
