/** vite.config.ts */
export default {
  // Found at the start, so that the dev server does not reload the page when the worker first imports them.
  optimizeDeps: { include: ['preseal', 'preseal/viem', 'preseal/worker'] },
  // In chunks, so that a chain loads the parts that it needs.
  worker: { format: 'es' },
}
