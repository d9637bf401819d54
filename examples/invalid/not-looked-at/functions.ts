throw new Error('nobody should have loaded this');
