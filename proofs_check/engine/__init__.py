"""What runs a theorem: claims, plan, context, runner, registry.  It knows no theorem and no command line."""
