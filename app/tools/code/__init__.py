"""Running code in a limited, isolated process that can always be stopped."""
