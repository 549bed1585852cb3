// A page's sockets to the server with a pair of pincers: cut as by a lost network, mended again.
import type { Page, WebSocketRoute } from '@playwright/test';

export class Line {
  private open = new Set<WebSocketRoute>();
  private isCut = false;

  /** Takes hold of all sockets that the page opens from now on. */
  static async of(page: Page): Promise<Line> {
    const line = new Line();
    await page.routeWebSocket(/\/ws$/, (socket) => line.connect(socket));
    return line;
  }

  /** Every socket is closed, and none opens until it is mended. */
  async cut(): Promise<void> {
    this.isCut = true;
    const open = [...this.open];
    this.open.clear();
    for (const socket of open) await socket.close({ code: 4000, reason: 'cut' });
  }

  mend(): void {
    this.isCut = false;
  }

  /** The page hears this as if the server had said it. */
  say(message: object): void {
    for (const socket of this.open) socket.send(JSON.stringify({ v: 1, ...message }));
  }

  private async connect(socket: WebSocketRoute): Promise<void> {
    if (this.isCut) return socket.close({ code: 4000, reason: 'cut' });
    const server = socket.connectToServer();
    this.open.add(socket);
    socket.onClose(async () => {
      this.open.delete(socket);
      await server.close();
    });
  }
}
