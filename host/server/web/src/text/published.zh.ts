// The Chinese texts of a published page.
import type { published as english } from './published.en';

export const published: typeof english = {
  loading: '正在加载引擎……',
  failed: (why: string) => `页面无法加载：${why}`,
  failedHint: '页面文件必须来自网页服务器。在本机上，可在其文件夹中运行 `python3 -m http.server`。',
  by: (author: string) => `作者：${author}`,
  onDevice: '引擎在此浏览器中运行，不向任何地方发送数据。',
  newGame: '新对局',
  yourSide: '执方',
  chance: '随机',
  strength: '强度',
  fullStrength: '最强',
  start: '开始',
  engineThinks: '引擎思考中……',
  late: '引擎用时过长，已被终止。请开始新对局。',
  analysisLines: '分析：线路数',
  download: '下载棋谱',
};
