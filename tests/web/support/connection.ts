// Control over a page's sockets to the server: cut and restore them, and deliver messages to the page.
import type { Page, WebSocketRoute } from '@playwright/test';

export class PageConnection {
  private open = new Set<WebSocketRoute>();
  private isCut = false;

  /** Takes control of all sockets that the page opens from now on. */
  static async of(page: Page): Promise<PageConnection> {
    const connection = new PageConnection();
    await page.routeWebSocket(/\/ws$/, (socket) => connection.connect(socket));
    return connection;
  }

  /** Closes every socket and refuses new ones until `restore`. */
  async cut(): Promise<void> {
    this.isCut = true;
    const open = [...this.open];
    this.open.clear();
    for (const socket of open) {
      await socket.close({ code: 4000, reason: 'cut' });
    }
  }

  restore(): void {
    this.isCut = false;
  }

  /** Delivers a message to the page as if the server had sent it. */
  deliver(message: object): void {
    for (const socket of this.open) {
      socket.send(JSON.stringify({ v: 1, ...message }));
    }
  }

  private async connect(socket: WebSocketRoute): Promise<void> {
    if (this.isCut) {
      return socket.close({ code: 4000, reason: 'cut' });
    }
    const server = socket.connectToServer();
    this.open.add(socket);
    socket.onClose(async () => {
      this.open.delete(socket);
      await server.close();
    });
  }
}
