// #region config
// vite.config.ts
export default {
  optimizeDeps: { include: ['preseal', 'preseal/viem', 'preseal/worker'] },
  worker: { format: 'es' },
}
// #endregion config
